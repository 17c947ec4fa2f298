"""Makes and parses names: server ids, tool keys, exposed names, Lua identifiers."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections import Counter
from collections.abc import Iterable

from router.domain.errors import InvalidInput, sentence
from router.domain.ids import ServerId, ToolKey

SEPARATOR = "__"
MAX_EXPOSED_LENGTH = 64
RESERVED_SERVER_IDS = frozenset({"toolbooth", "scripts"})
RESERVED_TOOL_NAMES = frozenset({"tool_discovery", "tool_execute"})
"""Our own tools, whose names no server's tool may have."""
SCRIPTS = ServerId("scripts")
"""The pseudo-server whose tools are the saved scripts."""

_LUA_KEYWORDS = frozenset(
    "and break do else elseif end false for function goto if in local nil not or repeat return "
    "then true until while".split()
)
LUA_GLOBALS = frozenset(
    "_G _VERSION arguments array assert await_all coroutine error getmetatable ipairs json load "
    "math next null os pairs pcall print progress rawequal rawget rawlen rawset result select "
    "setmetatable string table tonumber tostring type utf8 xpcall".split()
)
"""The other global names in scripts, besides the servers."""
_MAX_SERVER_ID_LENGTH = 40
_HASH_LENGTH = 6


def slug(name: str) -> str:
    """`name` in snake_case ASCII without `__`: "GitHub (work)" becomes `github_work`."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def assign_server_ids(keys: Iterable[str]) -> dict[str, ServerId]:
    """An id for each `mcpServers` key. Of two keys with the same id, the first in the file keeps
    it, so that adding a server never renames another."""
    ids: dict[str, ServerId] = {}
    taken: set[str] = set()
    for key in keys:
        wanted = _wanted_server_id(key)
        ids[key] = ServerId(wanted if wanted not in taken else f"{wanted}_{_short_hash(key)}")
        taken.add(ids[key])
    return ids


def _wanted_server_id(key: str) -> str:
    candidate = slug(key)[:_MAX_SERVER_ID_LENGTH].strip("_")
    if not candidate or candidate in RESERVED_SERVER_IDS:
        return f"{candidate or 'server'}_{_short_hash(key)}"
    return candidate


def parse_tool_key(text: str) -> ToolKey:
    """`serverId:toolName`, split at the first colon: a tool's own name may contain more."""
    server, colon, tool = text.partition(":")
    if not (colon and server and tool):
        raise InvalidInput(
            sentence('"{name}" is not a tool key.', name=text),
            "A tool key looks like serverId:toolName.",
        )
    return ToolKey(ServerId(server), tool)


def parse_exposed(name: str) -> tuple[ServerId, str]:
    """Server and tool of `server__tool`, split at the first `__`."""
    server, separator, tool = name.partition(SEPARATOR)
    if not (separator and server and tool):
        raise InvalidInput(sentence('"{name}" is not the name of a server\'s tool.', name=name))
    return ServerId(server), tool


def exposed_names(keys: Iterable[ToolKey], *, prefixed: bool = True) -> dict[str, ToolKey]:
    """A unique name of at most 64 characters for each tool, in order of name. Without `prefixed`
    they have no server id, except where a tool of our own has that name.

    A name that is too long, or that two tools would share, ends in a hash of the tool's key, so
    that it does not depend on which other tools there are.
    """
    wanted: dict[str, list[ToolKey]] = {}
    for key in keys:
        name = f"{key.server}{SEPARATOR}{re.sub(r'[^A-Za-z0-9_-]', '_', key.tool)}"
        bare = parse_exposed(name)[1]
        if not prefixed and bare not in RESERVED_TOOL_NAMES:
            name = bare
        wanted.setdefault(name, []).append(key)
    names: dict[str, ToolKey] = {}
    for name, claimants in wanted.items():
        for key in claimants:
            fits = len(claimants) == 1 and len(name) <= MAX_EXPOSED_LENGTH
            names[name if fits else _with_hash(name, key)] = key
    return dict(sorted(names.items()))


def lua_identifier(name: str, also_reserved: frozenset[str] = frozenset()) -> str:
    """`name` as a Lua identifier: `data-server` becomes `data_server`, `while` becomes `_while`."""
    spelled = re.sub(r"[^A-Za-z0-9_]", "_", name)
    if not spelled or spelled[0].isdigit() or spelled in _LUA_KEYWORDS | also_reserved:
        return f"_{spelled}"
    return spelled


def lua_identifiers(names: Iterable[str]) -> dict[str, str]:
    """The name of each identifier, in order of name. A name that is an identifier stays as it is;
    others that would share an identifier end in a hash of their name."""
    wanted = {name: lua_identifier(name) for name in sorted(set(names))}
    counts = Counter(wanted.values())
    found = {spelled: name for name, spelled in wanted.items() if spelled == name}
    for name, spelled in wanted.items():
        if spelled == name:
            continue
        length = _HASH_LENGTH
        identifier = spelled if counts[spelled] == 1 else f"{spelled}_{_short_hash(name)}"
        while identifier in found:
            length += 1
            identifier = f"{spelled}_{_short_hash(name, length)}"
        found[identifier] = name
    return dict(sorted(found.items(), key=lambda pair: pair[1]))


def nearest(name: str, known: Iterable[str]) -> str:
    """The hint that names what may have been meant instead of `name`; empty if nothing is like
    it."""
    by_folded = {folded(each): each for each in known}
    alike = difflib.get_close_matches(folded(name), by_folded, n=3, cutoff=0.6)
    names = " or ".join(by_folded[each] for each in alike)
    return f"Did you mean {names}?" if alike else ""


def folded(name: str) -> str:
    """`name` without case and separators: `GitHub: Create issue` and `github__create_issue` are
    the same name, written differently."""
    return re.sub(r"[\W_]+", " ", name.casefold()).strip()


def _with_hash(name: str, key: ToolKey) -> str:
    room = MAX_EXPOSED_LENGTH - _HASH_LENGTH - 1
    return f"{name[:room]}_{_short_hash(str(key))}"


def _short_hash(text: str, length: int = _HASH_LENGTH) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]
