"""Servers out of other applications' files, in our own shape.

An entry that is no server we could run (built into its application, or malformed) is left out and
named with the reason; so is every entry that points at ourselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from urllib.parse import urlsplit

from pydantic import ValidationError

from router.api.apps import Findings, FoundServer, LeftOut
from router.apps import config_document
from router.apps.app_specs import CLIENTS, ClientSpec
from router.apps.config_document import Format, entries_at
from router.apps.locations import Places
from router.apps.variables import Dialect, prompts_of
from router.config.base import first_problem
from router.config.foreign_entries import GROUPS, plain_entry
from router.config.server import ServerConfig
from router.domain.errors import ConfigError, said
from router.domain.json_values import JsonObject, as_array, as_object
from router.store.tokens import PREFIX as TOKEN_PREFIX

_BARE_VARIABLES = frozenset({"gemini", "qwen", "copilot"})
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_PROGRAMS = frozenset({"toolbooth", "toolbooth.exe"})
_FORMATS = {".toml": Format.TOML, ".yaml": Format.YAML, ".yml": Format.YAML}


@dataclass(frozen=True, slots=True)
class Ourselves:
    """How an entry that points at us is known."""

    ports: frozenset[int]

    def is_meant(self, config: ServerConfig) -> bool:
        """With a token of ours it is an entry of ours, also from when we had another port."""
        with_our_token = any(f" {TOKEN_PREFIX}" in f" {v}" for v in config.headers.values())
        at_home = urlsplit(config.url or "").hostname in _LOOPBACK
        return (with_our_token and at_home) or self.is_reached(config)

    def is_reached(self, config: ServerConfig) -> bool:
        """Whether it finds us where we are now."""
        if config.command is not None:
            return PurePath(config.command).name in _PROGRAMS and "connect" in config.args
        parts = urlsplit(config.url or "")
        return parts.hostname in _LOOPBACK and (parts.port or 80) in self.ports


def find_servers(places: Places, ourselves: Ourselves) -> Findings:
    """The servers of every application on this computer. Blocks on files."""
    found: list[Findings] = []
    for spec in CLIENTS:
        path = existing_file(spec, places)
        if path is None:
            continue
        try:
            found.append(_read_client(spec, path, places, ourselves))
        except ConfigError as error:
            found.append(Findings((), (error.message,)))
    return Findings(
        tuple(server for each in found for server in each.servers),
        tuple(problem for each in found for problem in each.problems),
        tuple(entry for each in found for entry in each.left_out),
    )


def existing_file(spec: ClientSpec, places: Places) -> Path | None:
    return next((path for path in spec.files(places) if path.is_file()), None)


def _read_client(spec: ClientSpec, path: Path, places: Places, ourselves: Ourselves) -> Findings:
    content = config_document.read(spec.format, path, read_text(path))
    dialect = Dialect(
        places.environ,
        str(places.home),
        prompts_of(content),
        spec.id,
        bare=spec.id in _BARE_VARIABLES,
        curly=spec.id == "opencode",
    )
    return _understand(spec.name, path, _entries(spec, content), dialect, ourselves)


def read_any_file(path: Path, places: Places, ourselves: Ourselves) -> Findings:
    """The servers of a file somebody names, whichever application wrote it, and what is wrong with
    its other entries. Raises `ConfigError` where it has none that can be used."""
    kind = _FORMATS.get(path.suffix.lower(), Format.JSON)
    content = config_document.read(kind, path, read_text(path))
    group = next((key for key in GROUPS if key in content), None)
    if group is None:
        raise ConfigError(path, None, 'it has no "mcpServers" section')
    spec = ClientSpec(CLIENTS[0].id, path.name, (group,), lambda _: (path,), format=kind)
    dialect = Dialect(places.environ, str(places.home), prompts_of(content), "file", curly=True)
    entries = _named(entries_at(content, spec.keys))
    findings = _understand(path.name, path, entries, dialect, ourselves)
    if findings.left_out and not findings.servers:
        reasons = " ".join(entry.sentence for entry in findings.left_out)
        raise ConfigError(
            path, None, said("it contains no valid servers. {reasons}", reasons=reasons)
        )
    return findings


def read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigError(path, None, "it is not UTF-8 text") from None
    except OSError as error:
        raise ConfigError(
            path, None, said("it can't be read: {reason}", reason=error.strerror)
        ) from None


def plain_config(entry: JsonObject) -> ServerConfig | None:
    """An entry in our shape, variables untouched; None if it is no server we could run."""
    try:
        return ServerConfig.model_validate(plain_entry(entry))
    except ValidationError:
        return None


def _entries(spec: ClientSpec, content: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    yield from _named(entries_at(content, spec.keys))
    if spec.id == "claude-code":  # servers of single folders
        for folder, project in as_object(content.get("projects")).items():
            for name, entry in _named(as_object(project).get("mcpServers")):
                yield name, {"cwd": folder, **entry} if "command" in entry else entry


def _named(entries: object) -> Iterator[tuple[str, JsonObject]]:
    """Entries by name; Continue has a list of them with their names inside."""
    yield from ((name, as_object(entry)) for name, entry in as_object(entries).items())
    for entry in as_array(entries):
        yield str(as_object(entry).get("name") or "server"), as_object(entry)


def _understand(
    source: str,
    path: Path,
    entries: Iterator[tuple[str, JsonObject]],
    dialect: Dialect,
    ourselves: Ourselves,
) -> Findings:
    """The entries that are servers, and why the others are none."""
    servers: list[FoundServer] = []
    left_out: list[LeftOut] = []
    for name, entry in entries:
        try:
            found = _understood(source, path, name, entry, dialect)
        except ValidationError as error:
            left_out.append(LeftOut(name, source, dialect.prefix, first_problem(error)))
            continue
        if ourselves.is_meant(found.config):
            left_out.append(LeftOut(name, source, dialect.prefix, "it is Toolbooth itself"))
        else:
            servers.append(found)
    return Findings(tuple(servers), left_out=tuple(left_out))


def _understood(
    source: str, path: Path, name: str, entry: JsonObject, dialect: Dialect
) -> FoundServer:
    plain = ServerConfig.model_validate(plain_entry(entry))
    texts = (*plain.args, *plain.env.values(), *plain.headers.values(), plain.url or "")
    config, prompts = _translated(plain, dialect), dialect.used_prompts(texts)
    return FoundServer(name, source, path, config, prompts, dialect.prefix)


def _translated(config: ServerConfig, dialect: Dialect) -> ServerConfig:
    changed: JsonObject = {
        **config.to_json(),
        "args": [dialect.settled(text) for text in config.args],
        "env": {key: dialect.referring(text) for key, text in config.env.items()},
        "headers": {key: dialect.referring(text) for key, text in config.headers.items()},
    }
    for key in ("command", "cwd", "url"):
        if isinstance(changed.get(key), str):
            changed[key] = dialect.settled(changed[key])
    return ServerConfig.model_validate(changed)
