"""Receipts on disk: written and read back, and an unreadable one is no error."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from router.domain.ids import ServerId
from router.domain.receipts import IsolationLevel, Package, Protection, Reason, Receipt, Why
from router.store.receipts import ReceiptStore

TIME = ServerId("time")
NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
REASONS = (Reason(Why.NO_BUBBLEWRAP), Reason(Why.READ_FILES, ("2",)))
RECEIPT = Receipt(
    at=NOW,
    config_hash="abc",
    protection=Protection(IsolationLevel.LIMITED, True, 512, 64, None, REASONS),
    watched=True,
    files=("/etc/hosts",),
    hosts=("example.com:443",),
    package=Package("npm", "server", "1.0.0", "sha512-x", NOW),
    as_written=Reason(Why.UNKNOWN_OPTION, ("npx", "-c")),
)


def test_a_receipt_is_read_as_it_was_written(tmp_path: Path) -> None:
    ReceiptStore(tmp_path).write(TIME, RECEIPT)
    assert ReceiptStore(tmp_path).read(TIME) == RECEIPT


def test_reasons_stored_as_text_are_still_read(tmp_path: Path) -> None:
    store = ReceiptStore(tmp_path)
    store.write(TIME, RECEIPT)
    path = tmp_path / "time.json"
    file = json.loads(path.read_text())
    file["protection"]["missing"] = ["bubblewrap (bwrap) is not installed."]
    file["as_written"] = ""
    path.write_text(json.dumps(file))
    read = store.read(TIME)
    assert read is not None
    assert [str(each) for each in read.protection.missing] == [str(REASONS[0])]
    assert read.as_written is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"formatVersion": 9}'])
def test_an_unreadable_receipt_is_none(
    tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "time.json").write_text(text)
    assert ReceiptStore(tmp_path).read(TIME) is None
    assert "Can't use" in caplog.text
