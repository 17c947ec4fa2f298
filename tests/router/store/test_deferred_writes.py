"""What can't be written now is written later, once, and newest last."""

from __future__ import annotations

from router.domain.errors import ToolboothError
from router.store.deferred_writes import DeferredWrites


class Disk:
    """Takes what is written, unless it is full."""

    def __init__(self) -> None:
        self.full = False
        self.written: list[str] = []

    def write(self, text: str) -> None:
        if self.full:
            raise ToolboothError(f"No room for {text}.")
        self.written.append(text)


def test_a_write_that_succeeds_is_not_repeated() -> None:
    disk, reasons = Disk(), list[str]()
    writes = DeferredWrites(reasons.append)
    writes.write("a", lambda: disk.write("1"))
    writes.retry()
    assert (disk.written, reasons, writes.reason) == (["1"], [], "")


def test_of_each_subject_the_newest_write_is_tried_again() -> None:
    disk, reasons = Disk(), list[str]()
    writes = DeferredWrites(reasons.append)
    disk.full = True
    writes.write("a", lambda: disk.write("a1"))
    writes.write("b", lambda: disk.write("b1"))
    writes.write("c", lambda: disk.write("c1"))
    writes.write("a", lambda: disk.write("a2"))
    writes.forget("b")
    writes.retry()
    disk.full = False
    writes.retry()
    writes.retry()
    assert disk.written == ["c1", "a2"]
    assert reasons[0] == "No room for a1."
    assert reasons[-1] == writes.reason == ""
