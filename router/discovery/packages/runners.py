"""Which package a command line runs: `npx`, `bunx`, `uvx`, `pipx run` and their long forms. Pure.

A package is fetched beforehand only if every option is understood. Any other command runs as it is
written, and the reason is given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from router.domain.receipts import Reason, Why

NPM, PYPI = "npm", "pypi"
CONTAINERS = ("docker", "podman", "nerdctl")

_NPM_SPEC = re.compile(r"(@[\w.~-]+/)?[\w.~-]+(@[\w.^~<>=|*+ -]+)?")
_PYPI_SPEC = re.compile(r"[A-Za-z0-9][\w.-]*(\[[\w,.-]+\])?\s*([<>=!~].+)?")
_PYPI_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class PackageRun:
    """A package to fetch, and what to run of it."""

    source: str
    specs: tuple[str, ...]
    """The package, then additional ones, in the spelling of the registry's own tools."""
    entry: str | None
    """The program of the package; None: the one with its name."""
    args: tuple[str, ...]

    @property
    def name(self) -> str:
        """The package's name, without its version."""
        spec = self.specs[0]
        if self.source == NPM:
            at = spec.find("@", 1)
            return spec if at < 0 else spec[:at]
        named = _PYPI_NAME.match(spec)
        return named.group() if named else spec


@dataclass(frozen=True, slots=True)
class AsWritten:
    """A command that runs a package which can't be fetched beforehand."""

    reason: Reason
    container: bool = False


def recognise(command: str, args: Sequence[str]) -> PackageRun | AsWritten | None:
    """What `command` runs; None if it runs no package."""
    name = PurePath(command).name.lower().removesuffix(".cmd").removesuffix(".exe")
    if name in CONTAINERS:
        return AsWritten(Reason(Why.IN_CONTAINER), container=True)
    words = (name, *args[:2])
    for prefix, parse in _RUNNERS:
        if words[: len(prefix)] == prefix:
            try:
                return parse(args[len(prefix) - 1 :])
            except _NotUnderstood as error:
                return AsWritten(Reason(error.why, (" ".join(prefix), *error.parts)))
    return None


class _NotUnderstood(ValueError):
    """Why a command runs as written."""

    def __init__(self, why: Why, *parts: str) -> None:
        super().__init__(why)
        self.why, self.parts = why, parts


def _split(
    args: Sequence[str], *, flags: Sequence[str], valued: dict[str, str]
) -> tuple[dict[str, list[str]], str, tuple[str, ...]]:
    """The values of the options, the first other word, and the words after it. `valued` maps each
    spelling of an option with a value to its name."""
    values: dict[str, list[str]] = {name: [] for name in valued.values()}
    rest = list(args)
    while rest and rest[0].startswith("-"):
        option, equals, value = rest.pop(0).partition("=")
        if option == "--":
            break
        if option in valued:
            if not equals and not rest:
                raise _NotUnderstood(Why.NO_VALUE, option)
            values[valued[option]].append(value if equals else rest.pop(0))
        elif option not in flags or equals:
            raise _NotUnderstood(Why.UNKNOWN_OPTION, option)
    if not rest:
        raise _NotUnderstood(Why.NO_PACKAGE)
    return values, rest[0], tuple(rest[1:])


def _npm(args: Sequence[str]) -> PackageRun:
    flags = ("-y", "--yes", "-q", "--quiet", "--silent", "--prefer-online", "--bun")
    valued = {"-p": "package", "--package": "package"}
    values, word, rest = _split(args, flags=flags, valued=valued)
    specs = values["package"] or [word]
    for spec in specs:
        if not _NPM_SPEC.fullmatch(spec) or spec.startswith("."):
            raise _NotUnderstood(Why.NOT_OF_REGISTRY, spec)
    return PackageRun(NPM, tuple(specs), word if values["package"] else None, rest)


def _uv(args: Sequence[str]) -> PackageRun:
    flags = ("-q", "--quiet", "--isolated", "--no-progress", "--native-tls", "--refresh")
    values, word, rest = _split(args, flags=flags, valued={"--from": "from", "--with": "with"})
    entry, _, version = word.partition("@")
    spec = (values["from"] or [_pinned(entry, version)])[-1]
    extra = [each for text in values["with"] for each in text.split(",")]
    return _pypi((_versioned(spec), *extra), entry, rest)


def _pipx(args: Sequence[str]) -> PackageRun:
    flags = ("-q", "--quiet", "--no-cache")
    values, word, rest = _split(args, flags=flags, valued={"--spec": "spec", "--with": "with"})
    entry, _, version = word.partition("==")
    spec = (values["spec"] or [_pinned(entry, version)])[-1]
    return _pypi((spec, *values["with"]), entry, rest)


def _pinned(name: str, version: str) -> str:
    return f"{name}=={version}" if version and version != "latest" else name


def _versioned(spec: str) -> str:
    """uv also accepts `name@version` after `--from`."""
    name, at, version = spec.partition("@")
    return _pinned(name, version) if at and _PYPI_SPEC.fullmatch(name) and "/" not in spec else spec


def _pypi(specs: tuple[str, ...], entry: str, args: tuple[str, ...]) -> PackageRun:
    for spec in specs:
        if not _PYPI_SPEC.fullmatch(spec) or "/" in spec:
            raise _NotUnderstood(Why.NOT_OF_INDEX, spec)
    return PackageRun(PYPI, specs, entry, args)


_RUNNERS: tuple[tuple[tuple[str, ...], Callable[[Sequence[str]], PackageRun]], ...] = (
    (("npx",), _npm),
    (("npm", "exec"), _npm),
    (("npm", "x"), _npm),
    (("bunx",), _npm),
    (("bun", "x"), _npm),
    (("uvx",), _uv),
    (("uv", "tool", "run"), _uv),
    (("pipx", "run"), _pipx),
)
