"""docs/clients.md shows, for each application, exactly what we write into its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from router.apps import config_document
from router.apps.app_specs import CONNECTABLE, ENTRY, AppSpec, EntryTarget

DOCUMENT = Path(__file__).parents[3] / "docs" / "clients.md"
SHOWN = EntryTarget(
    "http://127.0.0.1:3717/mcp", "TOKEN", ("/path/to/toolbooth", "connect", "--profile", "ID")
)


def snippet(spec: AppSpec) -> str:
    shown = EntryTarget(SHOWN.url, SHOWN.token, (*SHOWN.bridge[:-1], str(spec.id)))
    keys = (*spec.keys, ENTRY)
    return config_document.edited(
        spec.format, Path("settings"), "", keys, spec.entry_for(shown)
    ).strip()


@pytest.mark.proves("CARD-6")
@pytest.mark.parametrize("spec", CONNECTABLE, ids=lambda spec: str(spec.id))
def test_the_document_shows_the_entry_that_we_would_write(spec: AppSpec) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    part = text.partition(f"\n### {spec.name}\n")[2].partition("\n### ")[0]
    assert snippet(spec) in part
