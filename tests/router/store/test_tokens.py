"""Tokens: only their hashes are stored, and verifying one is fast."""

from __future__ import annotations

import hmac
import json
import re
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import pytest

import router
from router.domain.errors import ConfigError, InvalidInput, NotFound
from router.domain.ids import ProjectId, ServerId, TokenId, WorkspaceId
from router.store.tokens import TokenStore
from tests.support.fakes import FakeClock
from tests.support.timeouts import WAIT_S

ROOT = Path(router.__file__).parents[1]
WORK = WorkspaceId("work")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tokens.json"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def tokens(path: Path, clock: FakeClock) -> TokenStore:
    return TokenStore(path, clock)


@pytest.mark.proves("META-6")
def test_an_issued_token_is_valid_and_has_its_scope(tokens: TokenStore, clock: FakeClock) -> None:
    issued = tokens.issue("Claude", WORK, ProjectId("docs"))
    assert re.fullmatch(r"tbt_[0-9a-f]{8}_[A-Za-z0-9_-]{43}", issued.secret)
    verified = tokens.verify(issued.secret)
    assert verified == issued.summary
    assert verified is not None
    assert (verified.name, verified.workspace, verified.project) == ("Claude", WORK, "docs")
    assert verified.created_at == clock.now


def test_a_token_may_be_valid_for_some_servers_only(tokens: TokenStore, path: Path) -> None:
    issued = tokens.issue("Claude", WORK, None, servers=[ServerId("files")])
    assert issued.summary.servers == ("files",)
    reread = TokenStore(path, FakeClock()).verify(issued.secret)
    assert reread == issued.summary


def test_the_file_is_private_and_holds_no_secret(tokens: TokenStore, path: Path) -> None:
    issued = tokens.issue("Claude", None, None)
    text = path.read_text()
    assert issued.secret not in text
    assert issued.secret.split("_", 2)[2] not in text
    [stored] = json.loads(text)["tokens"]
    assert stored.keys() == {"id", "name", "sha256", "createdAt"}
    if sys.platform != "win32":
        assert path.stat().st_mode & 0o777 == 0o600


def test_tokens_are_persistent(tokens: TokenStore, path: Path, clock: FakeClock) -> None:
    issued = tokens.issue("Claude", WORK, None, expires_at=clock.now + timedelta(days=1))
    assert TokenStore(path, clock).verify(issued.secret) == issued.summary


@pytest.mark.proves("META-6")
def test_anything_else_is_not_a_token(tokens: TokenStore) -> None:
    secret = tokens.issue("Claude", None, None).secret
    body = secret[:-1]
    invalid = [
        *("", "tbt_", body, secret + "x", body + ("A" if secret[-1] != "A" else "B")),
        *(secret.upper(), " " + secret[1:], "tbt_00000000" + secret[12:]),
        *(body + "é", body + "\ud800", body + "\0", "tbt_" + "💥" * 52, "x" * 1_000_000),
    ]
    assert [tokens.verify(text) for text in invalid] == [None] * len(invalid)


def test_the_secret_is_compared_in_constant_time(
    tokens: TokenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Digests are compared, by a comparison in constant time."""
    secret = tokens.issue("Claude", None, None).secret
    head, tail = secret[:13], secret[13:]
    guesses = [head + "x" * 43, head + tail[:42] + ("A" if tail[-1] != "A" else "B")]
    compared: list[tuple[int, int]] = []

    def compare(ours: bytes, theirs: bytes) -> bool:
        compared.append((len(ours), len(theirs)))
        return constant_time(ours, theirs)

    constant_time = hmac.compare_digest
    monkeypatch.setattr(hmac, "compare_digest", compare)
    assert [tokens.verify(guess) for guess in guesses] == [None, None]
    assert tokens.verify(secret) is not None
    assert compared == [(32, 32)] * 3


def test_an_expired_token_is_invalid(tokens: TokenStore, clock: FakeClock) -> None:
    issued = tokens.issue("Claude", None, None, expires_at=clock.now + timedelta(hours=1))
    clock.advance(timedelta(minutes=59))
    assert tokens.verify(issued.secret) is not None
    clock.advance(timedelta(minutes=1))
    assert tokens.verify(issued.secret) is None


@pytest.mark.parametrize("by", ["id", "name"])
def test_a_revoked_token_is_invalid(tokens: TokenStore, by: str) -> None:
    issued = tokens.issue("Claude", None, None)
    other = tokens.issue("Cursor", None, None)
    revoked = tokens.revoke(issued.summary.id if by == "id" else "Claude")
    assert revoked == issued.summary
    assert tokens.verify(issued.secret) is None
    assert tokens.verify(other.secret) is not None


def test_revoking_an_unknown_token_is_an_error(tokens: TokenStore) -> None:
    with pytest.raises(NotFound, match='no token "Claude"'):
        tokens.revoke("Claude")


def test_a_name_shared_by_two_tokens_is_ambiguous(tokens: TokenStore) -> None:
    first = tokens.issue("Claude", None, None)
    tokens.issue("Claude", None, None)
    with pytest.raises(InvalidInput, match="Several tokens") as caught:
        tokens.revoke("Claude")
    assert first.summary.id in caught.value.hint
    tokens.revoke(first.summary.id)
    assert len(tokens.list()) == 1


def test_a_token_needs_a_name(tokens: TokenStore) -> None:
    with pytest.raises(InvalidInput, match="needs a name"):
        tokens.issue("  ", None, None)


@pytest.mark.proves("REG-5")
def test_tokens_are_listed_by_name(tokens: TokenStore) -> None:
    for name in ("Zed", "Claude", "Cursor"):
        tokens.issue(name, None, None)
    assert [token.name for token in tokens.list()] == ["Claude", "Cursor", "Zed"]


REVOKE = """
import sys
from pathlib import Path
from router.runtime.clock import utc_now
from router.store.tokens import TokenStore

TokenStore(Path(sys.argv[1]), utc_now).revoke("Claude")
"""


def test_a_token_revoked_by_another_process_is_invalid(tokens: TokenStore, path: Path) -> None:
    issued = tokens.issue("Claude", None, None)
    kept = tokens.issue("Cursor", None, None)
    assert not tokens.reload_if_changed()
    subprocess.run([sys.executable, "-c", REVOKE, str(path)], cwd=ROOT, check=True, timeout=WAIT_S)
    assert tokens.reload_if_changed()
    assert not tokens.reload_if_changed()
    assert tokens.verify(issued.secret) is None
    assert tokens.verify(kept.secret) is not None


def test_a_token_issued_by_another_store_survives_ours(
    tokens: TokenStore, path: Path, clock: FakeClock
) -> None:
    theirs = TokenStore(path, clock).issue("Cursor", None, None)
    ours = tokens.issue("Claude", None, None)
    assert tokens.verify(theirs.secret) is not None
    assert TokenStore(path, clock).verify(ours.secret) is not None


def test_deleting_the_file_revokes_all_tokens(
    tokens: TokenStore, path: Path, clock: FakeClock
) -> None:
    old = tokens.issue("Claude", None, None)
    path.unlink()
    assert tokens.reload_if_changed()
    assert not tokens.reload_if_changed()
    assert tokens.verify(old.secret) is None
    older = tokens.issue("Cursor", None, None)
    path.unlink()
    new = tokens.issue("Zed", None, None)
    assert [TokenStore(path, clock).verify(t.secret) for t in (older, new)] == [None, new.summary]


def test_a_malformed_file_keeps_the_last_good_tokens_and_is_not_overwritten(
    tokens: TokenStore, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    issued = tokens.issue("Claude", None, None)
    path.write_text('{\n "tokens": [{}]\n}')
    assert not tokens.reload_if_changed()
    assert "line 2" in caplog.text
    assert tokens.verify(issued.secret) is not None
    with pytest.raises(ConfigError):
        tokens.issue("Cursor", None, None)
    assert path.read_text() == '{\n "tokens": [{}]\n}'


def test_last_use_is_known_at_once_and_written_at_most_once_a_minute(
    tokens: TokenStore, path: Path, clock: FakeClock
) -> None:
    issued = tokens.issue("Claude", None, None)
    before = path.stat().st_ino
    clock.advance(timedelta(seconds=59))
    tokens.touch(issued.summary.id)
    assert tokens.list()[0].last_used_at == clock.now
    verified = tokens.verify(issued.secret)
    assert verified is not None
    assert verified.last_used_at == clock.now
    assert path.stat().st_ino == before
    clock.advance(timedelta(seconds=1))
    tokens.touch(issued.summary.id)
    join_writers()
    assert TokenStore(path, clock).list()[0].last_used_at == clock.now


def test_last_use_is_written_when_the_store_is_flushed(
    tokens: TokenStore, path: Path, clock: FakeClock
) -> None:
    issued = tokens.issue("Claude", None, None)
    tokens.touch(issued.summary.id)
    tokens.flush()
    assert TokenStore(path, clock).list()[0].last_used_at == clock.now
    written = path.stat()
    tokens.flush()
    assert path.stat().st_ino == written.st_ino


def test_flushing_does_not_restore_a_revoked_token(
    tokens: TokenStore, path: Path, clock: FakeClock
) -> None:
    issued = tokens.issue("Claude", None, None)
    tokens.touch(issued.summary.id)
    TokenStore(path, clock).revoke("Claude")
    tokens.flush()
    assert tokens.verify(issued.secret) is None
    assert TokenStore(path, clock).list() == ()


def test_a_last_use_that_cannot_be_written_is_ignored(
    tokens: TokenStore, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    issued = tokens.issue("Claude", None, None)
    path.write_text("{")
    tokens.touch(issued.summary.id)
    tokens.touch(TokenId("00000000"))
    tokens.flush()
    assert "last used" in caplog.text


def join_writers() -> None:
    for thread in threading.enumerate():
        if thread.name == "token-use":
            thread.join(timeout=WAIT_S)
