"""Which tools are approved: one file decides, and an unreadable one approves nothing."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from router.catalog.listed_items import listed_items
from router.discovery.vetting.preparation import prepare
from router.domain.ids import ServerId
from router.domain.tool_lists import (
    Approval,
    ApprovalPolicy,
    ItemKind,
    ListedItem,
    PendingApproval,
    PreparedTool,
    ServerListing,
)
from router.store.approvals import ApprovalStore
from router.store.deferred_writes import DeferredWrites
from router.store.json_file import UnusableFile

FILES = ServerId("files")
TRUST, ON_CHANGE, ALWAYS = ApprovalPolicy


def tools(**descriptions: str) -> tuple[PreparedTool, ...]:
    wires = [{"name": name, "description": text} for name, text in descriptions.items()]
    return prepare(ServerListing(tuple(wires))).tools


def about(text: str) -> tuple[ListedItem, ...]:
    """A prompt and the server's instructions."""
    prompt = {"name": "sum", "description": text}
    return listed_items(prepare(ServerListing(prompts=(prompt,), instructions=text)))


FIRST = tools(read="Read a file.", write="Write a file.")
LATER = tools(read="Read a file and send it on.", write="Write a file.", erase="Erase it.")


@pytest.fixture
def writes() -> DeferredWrites:
    return DeferredWrites()


@pytest.fixture
def store(tmp_path: Path, writes: DeferredWrites) -> ApprovalStore:
    return ApprovalStore(tmp_path, writes)


def waiting(held: dict[str, PendingApproval]) -> dict[str, Approval]:
    return {name: each.approval for name, each in held.items()}


@pytest.mark.proves("U-2")
def test_the_first_list_is_approved_and_later_changes_need_approval(
    store: ApprovalStore,
) -> None:
    assert store.review(FILES, "x", FIRST, ON_CHANGE) == {}
    held = store.review(FILES, "x", LATER, ON_CHANGE)
    assert waiting(held) == {"erase": Approval.PENDING, "read": Approval.CHANGED}
    assert held["read"].approved is not None
    assert held["read"].approved["description"] == "Read a file."


@pytest.mark.proves("U-2")
def test_a_tool_that_changes_back_is_approved(store: ApprovalStore) -> None:
    store.review(FILES, "x", FIRST, ON_CHANGE)
    store.review(FILES, "x", LATER, ON_CHANGE)
    assert store.review(FILES, "x", FIRST, ON_CHANGE) == {}


def test_approvals_of_earlier_versions_stay_valid(store: ApprovalStore, tmp_path: Path) -> None:
    pins = {tool.name: tool.definition_hash for tool in FIRST}
    file = {"formatVersion": 1, "servers": {"files": {"subject": "x", "pins": pins}}}
    (tmp_path / "approvals.json").write_text(json.dumps(file))
    assert store.review(FILES, "x", FIRST, ALWAYS) == {}


@pytest.mark.proves("U-2")
def test_approvals_from_before_prompts_needed_any_cover_those_that_are_known(
    store: ApprovalStore, tmp_path: Path
) -> None:
    pins = {tool.name: tool.definition_hash for tool in FIRST}
    file = {"formatVersion": 1, "servers": {"files": {"subject": "x", "pins": pins}}}
    (tmp_path / "approvals.json").write_text(json.dumps(file))
    assert store.review(FILES, "x", [*about("Be brief."), *FIRST], ALWAYS) == {}
    held = store.review(FILES, "x", [*about("Be loud."), *LATER], ON_CHANGE)
    assert waiting(held) == {
        "erase": Approval.PENDING,
        "prompt:sum": Approval.CHANGED,
        "read": Approval.CHANGED,
        "server:instructions": Approval.CHANGED,
    }
    assert held["server:instructions"].approved == {"instructions": "Be brief."}


@pytest.mark.proves("U-2")
def test_a_tool_named_like_a_prompt_approves_nothing_of_it(store: ApprovalStore) -> None:
    [tool] = tools(**{"prompt:sum": "Sum up."})
    [prompt, _] = about("Be brief.")
    store.review(FILES, "x", FIRST, ON_CHANGE)
    store.approve(FILES, "x", [tool])
    assert waiting(store.review(FILES, "x", [prompt, tool], ON_CHANGE)) == {
        "prompt:sum": Approval.CHANGED
    }


def test_a_first_list_of_instructions_alone_does_not_count(store: ApprovalStore) -> None:
    alone = [each for each in about("Be brief.") if each.kind is ItemKind.SERVER]
    assert store.review(FILES, "x", alone, ON_CHANGE) == {}
    assert store.review(FILES, "x", [*about("Be brief."), *FIRST], ON_CHANGE) == {}


@pytest.mark.proves("U-2")
def test_with_ask_always_the_first_list_needs_approval_too(store: ApprovalStore) -> None:
    held = store.review(FILES, "x", FIRST, ALWAYS)
    assert waiting(held) == {"read": Approval.PENDING, "write": Approval.PENDING}


@pytest.mark.proves("U-2")
def test_with_trust_nothing_needs_approval_and_definitions_are_recorded(
    store: ApprovalStore,
) -> None:
    assert store.review(FILES, "x", FIRST, TRUST) == {}
    assert store.review(FILES, "x", LATER, TRUST) == {}
    assert store.review(FILES, "x", LATER, ON_CHANGE) == {}
    assert waiting(store.review(FILES, "x", FIRST, ON_CHANGE)) == {"read": Approval.CHANGED}


@pytest.mark.proves("U-2")
def test_an_approval_covers_the_approved_definition_only(store: ApprovalStore) -> None:
    store.review(FILES, "x", FIRST, ON_CHANGE)
    [erase, read, _] = LATER
    store.approve(FILES, "x", [read])
    assert waiting(store.review(FILES, "x", LATER, ON_CHANGE)) == {"erase": Approval.PENDING}
    store.approve(FILES, "x", [erase])
    assert store.review(FILES, "x", LATER, ON_CHANGE) == {}
    again = tools(read="Read a file and keep it.")
    assert waiting(store.review(FILES, "x", again, ON_CHANGE)) == {"read": Approval.CHANGED}


def test_another_command_under_the_same_name_is_another_server(store: ApprovalStore) -> None:
    store.review(FILES, "x", FIRST, ON_CHANGE)
    assert store.review(FILES, "other", LATER, ON_CHANGE) == {}
    assert store.review(ServerId("notes"), "x", FIRST, ALWAYS)


def test_an_empty_first_list_does_not_count(store: ApprovalStore) -> None:
    store.review(FILES, "x", (), ON_CHANGE)
    assert store.review(FILES, "x", FIRST, ON_CHANGE) == {}


def test_a_forgotten_server_counts_as_new(store: ApprovalStore, tmp_path: Path) -> None:
    store.review(FILES, "x", FIRST, ON_CHANGE)
    store.forget(FILES)
    assert not (tmp_path / "approved" / "files.json").exists()
    assert store.review(FILES, "x", LATER, ON_CHANGE) == {}


@pytest.mark.proves("U-2")
@pytest.mark.parametrize("text", ["", "{", "[]", '{"formatVersion": 9}', "[" * 100_000])
def test_an_unreadable_file_approves_nothing(
    store: ApprovalStore, tmp_path: Path, text: str
) -> None:
    store.review(FILES, "x", FIRST, ON_CHANGE)
    (tmp_path / "approvals.json").write_text(text)
    held = store.review(FILES, "x", FIRST, ON_CHANGE)
    assert waiting(held) == {"read": Approval.PENDING, "write": Approval.PENDING}
    with pytest.raises(UnusableFile, match=r"Can't use .*approvals\.json"):
        store.approve(FILES, "x", FIRST)
    assert (tmp_path / "approvals.json").read_text() == text


def test_without_its_old_definition_a_changed_tool_still_needs_approval(
    store: ApprovalStore, tmp_path: Path
) -> None:
    store.review(FILES, "x", FIRST, ON_CHANGE)
    (tmp_path / "approved" / "files.json").write_text("broken")
    assert store.review(FILES, "x", LATER, ON_CHANGE)["read"] == PendingApproval(
        Approval.CHANGED, None
    )


def test_on_a_full_disk_a_first_list_is_approved_and_a_change_of_it_is_not(
    store: ApprovalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: DeferredWrites
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", fail)
        assert store.review(FILES, "x", FIRST, ON_CHANGE) == {}
        assert "No space left on device" in writes.reason
        assert store.review(FILES, "x", LATER, ON_CHANGE)["read"].approval is Approval.CHANGED
    writes.retry()
    assert writes.reason == ""
    again = ApprovalStore(tmp_path, DeferredWrites())
    assert again.review(FILES, "x", FIRST, ON_CHANGE) == {}
    assert again.review(FILES, "x", LATER, ON_CHANGE) != {}


def test_approvals_of_another_process_apply_at_once(store: ApprovalStore, tmp_path: Path) -> None:
    store.review(FILES, "x", FIRST, ON_CHANGE)
    assert store.review(FILES, "x", LATER, ON_CHANGE)
    ApprovalStore(tmp_path, DeferredWrites()).approve(FILES, "x", LATER)
    assert store.review(FILES, "x", LATER, ON_CHANGE) == {}
