"""Reads servers from other applications' files into our own format.

An entry that is not a server we can run (built into its application, or malformed) is skipped, with
the reason; so is every entry that points to Toolbooth itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from urllib.parse import urlsplit

from pydantic import ValidationError

from router.api.apps import FoundServer, FoundServers, SkippedEntry
from router.apps import config_document, file_edit
from router.apps.app_specs import APPS, AppSpec
from router.apps.config_document import Format, value_at
from router.apps.locations import AppLocations
from router.apps.variables import Dialect, read_prompts
from router.config.base import first_problem
from router.config.foreign_entries import GROUPS, plain_entry
from router.config.server import ServerConfig
from router.domain.errors import ConfigError, sentence
from router.domain.json_values import JsonObject, as_array, as_object
from router.store.tokens import PREFIX as TOKEN_PREFIX

_BARE_VARIABLES = frozenset({"gemini", "qwen", "copilot"})
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_PROGRAMS = frozenset({"toolbooth", "toolbooth.exe"})
_FORMATS = {".toml": Format.TOML, ".yaml": Format.YAML, ".yml": Format.YAML}


@dataclass(frozen=True, slots=True)
class SelfReference:
    """Recognizes entries that point to this router."""

    ports: frozenset[int]

    def is_ours(self, config: ServerConfig) -> bool:
        """Whether the entry is ours: one with our token may be from when we had another port."""
        has_our_token = any(f" {TOKEN_PREFIX}" in f" {v}" for v in config.headers.values())
        is_local = urlsplit(config.url or "").hostname in _LOOPBACK
        return (has_our_token and is_local) or self.is_current(config)

    def is_current(self, config: ServerConfig) -> bool:
        """Whether the entry leads to our current address."""
        if config.command is not None:
            return PurePath(config.command).name in _PROGRAMS and "connect" in config.args
        parts = urlsplit(config.url or "")
        return parts.hostname in _LOOPBACK and (parts.port or 80) in self.ports


def find_servers(locations: AppLocations, self_reference: SelfReference) -> FoundServers:
    """The servers of every application on this computer. Blocks on files."""
    found: list[FoundServers] = []
    for spec in APPS:
        if (path := existing_file(spec, locations)) is None:
            continue
        try:
            found.append(_read_app(spec, path, locations, self_reference))
        except ConfigError as error:
            found.append(FoundServers((), (error.message,)))
    return FoundServers(
        tuple(server for each in found for server in each.servers),
        tuple(problem for each in found for problem in each.problems),
        tuple(entry for each in found for entry in each.skipped),
    )


def existing_file(spec: AppSpec, locations: AppLocations) -> Path | None:
    return next((path for path in spec.paths(locations) if path.is_file()), None)


def _read_app(
    spec: AppSpec, path: Path, locations: AppLocations, self_reference: SelfReference
) -> FoundServers:
    content = config_document.read(spec.format, path, read_text(path))
    dialect = Dialect(
        locations.environ,
        str(locations.home),
        read_prompts(content),
        spec.id,
        bare=spec.id in _BARE_VARIABLES,
        curly=spec.id == "opencode",
    )
    return _parse_entries(spec.name, path, _entries(spec, content), dialect, self_reference)


def read_any_file(
    path: Path, locations: AppLocations, self_reference: SelfReference
) -> FoundServers:
    """The servers of a file from any application, and why other entries are skipped. Raises
    `ConfigError` if no entry is usable."""
    kind = _FORMATS.get(path.suffix.lower(), Format.JSON)
    content = config_document.read(kind, path, read_text(path))
    group = next((key for key in GROUPS if key in content), None)
    if group is None:
        raise ConfigError(path, None, 'it has no "mcpServers" section')
    dialect = Dialect(
        locations.environ, str(locations.home), read_prompts(content), "file", curly=True
    )
    found = _parse_entries(path.name, path, _named(content[group]), dialect, self_reference)
    if found.skipped and not found.servers:
        reasons = " ".join(entry.sentence for entry in found.skipped)
        raise ConfigError(
            path, None, sentence("it contains no valid servers. {reasons}", reasons=reasons)
        )
    return found


def read_text(path: Path) -> str:
    if (data := file_edit.read_or_none(path)) is None:
        raise ConfigError(path, None, "it does not exist")
    return file_edit.decoded(path, data)


def plain_config(entry: JsonObject) -> ServerConfig | None:
    """An entry in our format, variables unchanged; None if it is not a server we can run."""
    try:
        return ServerConfig.model_validate(plain_entry(entry))
    except ValidationError:
        return None


def _entries(spec: AppSpec, content: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    yield from _named(value_at(content, spec.keys))
    if spec.id == "claude-code":  # servers of individual folders
        for folder, project in as_object(content.get("projects")).items():
            for name, entry in _named(as_object(project).get("mcpServers")):
                yield name, {"cwd": folder, **entry} if "command" in entry else entry


def _named(entries: object) -> Iterator[tuple[str, JsonObject]]:
    """Entries by name; Continue has a list of entries with a name."""
    yield from ((name, as_object(entry)) for name, entry in as_object(entries).items())
    for entry in as_array(entries):
        yield str(as_object(entry).get("name") or "server"), as_object(entry)


def _parse_entries(
    source: str,
    path: Path,
    entries: Iterator[tuple[str, JsonObject]],
    dialect: Dialect,
    self_reference: SelfReference,
) -> FoundServers:
    """The entries that are servers, and why others are skipped."""
    servers: list[FoundServer] = []
    skipped: list[SkippedEntry] = []
    for name, entry in entries:
        try:
            found = _parse_entry(source, path, name, entry, dialect)
        except ValidationError as error:
            skipped.append(SkippedEntry(name, source, dialect.prefix, first_problem(error)))
            continue
        if self_reference.is_ours(found.config):
            skipped.append(SkippedEntry(name, source, dialect.prefix, "it is Toolbooth itself"))
        else:
            servers.append(found)
    return FoundServers(tuple(servers), skipped=tuple(skipped))


def _parse_entry(
    source: str, path: Path, name: str, entry: JsonObject, dialect: Dialect
) -> FoundServer:
    plain = ServerConfig.model_validate(plain_entry(entry))
    texts = (*plain.args, *plain.env.values(), *plain.headers.values(), plain.url or "")
    config, prompts = _translated(plain, dialect), dialect.used_prompts(texts)
    return FoundServer(name, source, path, config, prompts, dialect.prefix)


def _translated(config: ServerConfig, dialect: Dialect) -> ServerConfig:
    changed: JsonObject = {
        **config.to_json(),
        "args": [dialect.with_values(text) for text in config.args],
        "env": {key: dialect.with_references(text) for key, text in config.env.items()},
        "headers": {key: dialect.with_references(text) for key, text in config.headers.items()},
    }
    for key in ("command", "cwd", "url"):
        if isinstance(changed.get(key), str):
            changed[key] = dialect.with_values(changed[key])
    return ServerConfig.model_validate(changed)
