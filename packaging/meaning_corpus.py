"""Texts that sound like tools and like people who look for one, for `meaning_table.py`.

Made from sources that anybody can install again: the API descriptions inside the PyPI packages
`botocore` and `google-api-python-client` (Apache-2.0), Debian's one-line package descriptions, and
WordNet's glosses and examples (`wordnet-base`). No text of any evaluation of tool search is among
them. `python packaging/meaning_corpus.py FOLDER OUT.txt` reads the unpacked packages in FOLDER and
writes one text per line, shuffled the same way every time.
"""

from __future__ import annotations

import gzip
import html
import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SHARES = {"operations": 40_000, "parameters": 12_000, "packages": 14_000, "words": 14_000}
_TAG = re.compile(r"<[^>]+>|https?://\S+|`|\*")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_.\-/]+")
_SENTENCE = re.compile(r"(?<=[.;!?]) +")
_MAX_WORDS = 14


def main(folder: Path, out: Path) -> None:
    chance = random.Random(1)  # noqa: S311 - the same shuffle every time, nothing to keep secret
    texts: list[str] = []
    for kind, share in SHARES.items():
        found = sorted({text for text in _SOURCES[kind](folder) if len(text.split()) >= 2})
        chance.shuffle(found)
        print(f"{kind}: {min(share, len(found)):,} of {len(found):,}")
        texts += found[:share]
    chance.shuffle(texts)
    out.write_text("\n".join(texts) + "\n")


def _operations(folder: Path) -> Iterator[str]:
    """Names of operations, and their descriptions sentence by sentence."""
    for name, description, _ in _api_calls(folder):
        words = " ".join(_HUMP.sub(" ", name).split()).lower()
        yield words
        sentences = list(_sentences(description))
        yield from sentences[:2]
        if sentences:
            yield _cut(f"{words} {sentences[0]}")


def _parameters(folder: Path) -> Iterator[str]:
    for _, _, parameters in _api_calls(folder):
        for text in parameters:
            yield from list(_sentences(text))[:1]


def _api_calls(folder: Path) -> Iterator[tuple[str, str, list[str]]]:
    for path in sorted(folder.glob("**/botocore/data/*/*/service-2.json.gz")):
        service = json.loads(gzip.decompress(path.read_bytes()))
        about = str(service["metadata"].get("serviceId", ""))
        for name, operation in service["operations"].items():
            shape = service["shapes"].get(operation.get("input", {}).get("shape"), {})
            members = shape.get("members", {}).values()
            texts = [str(member.get("documentation", "")) for member in members]
            yield f"{about} {name}", str(operation.get("documentation", "")), texts
    for path in sorted(folder.glob("**/discovery_cache/documents/*.json")):
        yield from _google_calls(json.loads(path.read_text()))


def _google_calls(api: dict[str, Any]) -> Iterator[tuple[str, str, list[str]]]:
    waiting = [api]
    while waiting:
        part = waiting.pop()
        waiting += part.get("resources", {}).values()
        for method in part.get("methods", {}).values():
            parameters = method.get("parameters", {}).values()
            texts = [str(parameter.get("description", "")) for parameter in parameters]
            yield str(method["id"]), str(method.get("description", "")), texts


def _packages(_: Path) -> Iterator[str]:
    listing = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=True)
    for line in listing.stdout.splitlines():
        if line.startswith("Description:"):
            yield _cut(line.removeprefix("Description:"))


def _words(folder: Path) -> Iterator[str]:
    """A word with what it means, and how people use it in a sentence."""
    for path in sorted(folder.glob("**/wordnet/data.*")):
        for line in path.read_text().splitlines():
            if line.startswith(" ") or " | " not in line:
                continue
            synset, gloss = line.split(" | ", 1)
            word = synset.split()[4].replace("_", " ")
            definition, *examples = gloss.split('; "')
            yield _cut(f"{word}: {definition}")
            yield from (_cut(example.strip(' "')) for example in examples)


def _sentences(text: str) -> Iterator[str]:
    plain = html.unescape(_TAG.sub(" ", text))
    yield from (_cut(each) for each in _SENTENCE.split(" ".join(plain.split())))


def _cut(text: str) -> str:
    return " ".join(text.split()[:_MAX_WORDS])


_SOURCES = {
    "operations": _operations,
    "parameters": _parameters,
    "packages": _packages,
    "words": _words,
}

if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
