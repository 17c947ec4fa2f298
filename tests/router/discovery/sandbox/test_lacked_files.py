"""Which of the user's files a sandboxed server lacked, told from its last words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from router.discovery.sandbox.lacked_files import SandboxView, lacked_files
from router.domain.receipts import SharedPath

INSIDE = "/home/toolbooth"
NODE_TRACE = """
node:fs:1374
Error: {words}
    at Object.mkdirSync (node:fs:1374:26)
    at file:///opt/program/dist/index.js:12:4 {{
  errno: -30,
  code: 'EROFS'
}}
Node.js v20.20.2"""


@pytest.fixture
def view(tmp_path: Path) -> SandboxView:
    """The sandbox of a program in `opt` that was given the folder `vault`."""
    for name in ("home/.wrangler/config", "home/notes", "vault/sub folder", "opt/program", "data"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("home/.wrangler/config/default.toml", "home/.netrc", "home/notes/a.md"):
        (tmp_path / name).touch()
    visible = (str(tmp_path / "vault"), str(tmp_path / "opt/program"))
    return SandboxView(tmp_path / "home", INSIDE, True, visible, private=(str(tmp_path / "data"),))


def found(view: SandboxView, words: str) -> str:
    """What would help with `words`, in which `$ROOT` is the user's and `$HOME` the server's."""
    root = str(view.home.parent)
    lacked = lacked_files(words.replace("$ROOT", root).replace("$HOME", INSIDE), (), view)
    if lacked is None:
        return "nothing"
    if lacked.share is None:
        return "no sandbox"
    path = Path(lacked.share.path).relative_to(root)
    return f"{'write' if lacked.share.writable else 'read'} {path}"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            "Error: ENOENT: no such file or directory, open '$HOME/.wrangler/config/default.toml'",
            "read home/.wrangler/config",
        ),
        ("[Errno 2] No such file or directory: '$HOME/.netrc'", "read home/.netrc"),
        ("error: config ~/.wrangler/config not found", "read home/.wrangler/config"),
        ("Vault directory $ROOT/home/notes does not exist.", "read home/notes"),
        ("open $HOME/notes/a.md: no such file or directory", "read home/notes"),
        (
            NODE_TRACE.format(words="EROFS: read-only file system, mkdir '$ROOT/vault/.obsidian'"),
            "write vault",
        ),
        ("[Errno 30] Read-only file system: '$ROOT/vault/sub folder/x'", "write vault/sub folder"),
        ("[Errno 13] Permission denied: '$ROOT/vault/log'", "write vault"),
        ("[Errno 13] Permission denied: '$ROOT/home/notes/a.md'", "read home/notes"),
        ("EROFS: read-only file system, open '$ROOT/data/packages/x'", "no sandbox"),
        ("ENOENT: no such file or directory, open '$HOME/.missing/for-all'", "nothing"),
        ("Error: connect ECONNREFUSED 127.0.0.1:5432, see https://example.com/vault", "nothing"),
        ("Error: Cannot find module '$ROOT/opt/program/x.js'", "nothing"),
        ("Serving $ROOT/home/notes", "nothing"),
        ("Error: ENOENT, scandir '/'", "nothing"),
        ("ENOENT: no such file or directory, open '/proc/1/environ'", "nothing"),
    ],
)
def test_words_about_files_tell_what_to_share(view: SandboxView, words: str, expected: str) -> None:
    assert found(view, words) == expected


def test_a_shared_folder_is_asked_for_again_only_to_write(view: SandboxView) -> None:
    notes = SharedPath(str(view.home / "notes"))
    reading = "ENOENT: no such file or directory, open '$HOME/notes/b.md'"
    writing = "EROFS: read-only file system, open '$HOME/notes/b.md'"
    assert found(replace(view, shared=(notes,)), reading) == "nothing"
    assert found(replace(view, shared=(notes,)), writing) == "write home/notes"
    writable = replace(notes, writable=True)
    assert found(replace(view, shared=(writable,)), writing) == "nothing"


def test_what_it_tried_to_open_counts_where_it_said_nothing(view: SandboxView) -> None:
    tried = ["/etc/gitconfig", str(view.home / "notes" / "a.md")]
    lacked = lacked_files("Something is wrong.", tried, view)
    assert lacked is not None
    assert lacked.share == SharedPath(str(view.home / "notes"))


def test_without_confinement_only_the_replaced_home_is_lacked(view: SandboxView) -> None:
    open_view = replace(view, files_blocked=False)
    assert found(open_view, "error: $ROOT/home/notes is missing") == "nothing"
    assert found(open_view, "error: ~/notes is missing") == "read home/notes"
