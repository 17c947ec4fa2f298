"""Secret references in configuration values: `${keyring:NAME}` and `${env:NAME}`.
`store/secrets.py` resolves them."""

from __future__ import annotations

import re

_SECRET_REFERENCE = re.compile(r"\$\{(keyring|env):([^}]+)\}")


def secret_references(text: str) -> list[tuple[str, str]]:
    """The `(kind, name)` of each `${keyring:NAME}` or `${env:NAME}` in `text`."""
    return [(m.group(1), m.group(2)) for m in _SECRET_REFERENCE.finditer(text)]


def replace_secret_references(text: str, values: dict[tuple[str, str], str]) -> str:
    """`text` with each reference replaced by its value from `values`."""
    return _SECRET_REFERENCE.sub(lambda m: values[(m.group(1), m.group(2))], text)
