"""Which package a command line runs: `npx`, `uvx`, `pipx run` and their relatives. Pure.

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

_NPM_SPEC = re.compile(r"(@[\w~-][\w.~-]*/)?[\w~-][\w.~-]*(@[\w.^~<>=|*+ -]+)?")
_LOCAL_ARCHIVE = re.compile(r"\.(tgz|tar|tar\.gz)$", re.IGNORECASE)
_PYPI_SPEC = re.compile(r"[A-Za-z0-9][\w.-]*(\[[\w,.-]+\])?\s*([<>=!~][^@;/]*)?")
_PYPI_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_PROGRAM = re.compile(r"[\w@.+-]+")
_GO_PACKAGE = re.compile(r"[\w.-]+\.[\w-]+/\S+@\S+")
_UV_INDEX_OPTIONS = {
    option: option
    for option in (
        "--index --default-index --index-url --extra-index-url --find-links --index-strategy "
        "--keyring-provider --prerelease --resolution --exclude-newer"
    ).split()
} | {"-i": "--index-url", "-f": "--find-links"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageRun:
    """A package to fetch, and what to run of it."""

    runner: str
    """The program that would run it, which decides the settings that apply."""
    source: str
    specs: tuple[str, ...]
    """The package, then additional ones, in the spelling of the registry's own tools."""
    entry: str | None = None
    """The program of the package; None: the one with its name."""
    args: tuple[str, ...] = ()
    python: str | None = None
    """The Python it asks for, as uv spells it: a version, a range or a path."""
    options: tuple[str, ...] = ()
    """For the installer: which registry to use."""

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
            runner = " ".join(prefix)
            try:
                return parse(runner, args[len(prefix) - 1 :])
            except _NotUnderstood as error:
                return AsWritten(Reason(error.why, (runner, *error.parts)))
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


def _npm(runner: str, args: Sequence[str]) -> PackageRun:
    flags = ("-y", "--yes", "-q", "--quiet", "--silent", "-s", "--prefer-online",
             "--prefer-offline", "--bun")  # fmt: skip
    valued = {"-p": "package", "--package": "package", "--registry": "registry"}
    values, word, rest = _split(args, flags=flags, valued=valued)
    specs = values["package"] or [word]
    for spec in specs:
        if not _NPM_SPEC.fullmatch(spec) or _LOCAL_ARCHIVE.search(spec):
            raise _NotUnderstood(Why.NOT_OF_REGISTRY, spec)
    return PackageRun(
        runner=runner,
        source=NPM,
        specs=tuple(specs),
        entry=_program(word) if values["package"] else None,
        args=rest,
        options=tuple(f"--registry={each}" for each in values["registry"]),
    )


def _uv(runner: str, args: Sequence[str]) -> PackageRun:
    flags = ("-q", "--quiet", "--isolated", "--no-progress", "--native-tls", "--refresh")
    valued = {"--from": "from", "--with": "with", "-w": "with", **_UV_PYTHON, **_UV_INDEX_OPTIONS}
    values, word, rest = _split(args, flags=flags, valued=valued)
    entry, _, version = word.partition("@")
    spec = (values["from"] or [_pinned(entry, version)])[-1]
    return _of_uv(runner, values, (_versioned(spec), *_with(values)), entry, rest)


def _uv_run(runner: str, args: Sequence[str]) -> PackageRun | None:
    """A program of the packages after `--with`; without them it is one of a local project."""
    if not any(word in ("-w", "--with") or word.startswith("--with=") for word in args):
        return None
    flags = ("-q", "--quiet", "--isolated", "--no-progress", "--native-tls", "--refresh",
             "--no-project", "--frozen", "--no-sync")  # fmt: skip
    valued = {"--with": "with", "-w": "with", **_UV_PYTHON, **_UV_INDEX_OPTIONS}
    values, word, rest = _split(args, flags=flags, valued=valued)
    if not values["with"]:
        return None
    if word.endswith((".py", ".pyw")):  # which may list further packages
        raise _NotUnderstood(Why.OWN_SETTINGS, word)
    return _of_uv(runner, values, tuple(_with(values)), word, rest)


def _with(values: dict[str, list[str]]) -> list[str]:
    lists = (re.split(r",(?![^\[]*\])", text) for text in values["with"])
    return [_versioned(each) for specs in lists for each in specs]


def _of_uv(
    runner: str,
    values: dict[str, list[str]],
    specs: tuple[str, ...],
    entry: str,
    args: tuple[str, ...],
) -> PackageRun:
    options = [
        f"{name}={value}"
        for name in dict.fromkeys(_UV_INDEX_OPTIONS.values())
        for value in values[name]
    ]
    python = values["python"][-1] if values["python"] else None
    return _pypi(runner, specs, entry, args, python, tuple(options))


def _pipx(runner: str, args: Sequence[str]) -> PackageRun:
    flags = ("-q", "--quiet", "--no-cache")
    valued = {"--spec": "spec", "--with": "with", "--python": "python"}
    values, word, rest = _split(args, flags=flags, valued=valued)
    entry, _, version = word.partition("==")
    spec = (values["spec"] or [_pinned(entry, version)])[-1]
    python = values["python"][-1] if values["python"] else None
    return _pypi(runner, (spec, *values["with"]), entry, rest, python)


def _pinned(name: str, version: str) -> str:
    return f"{name}=={version}" if version and version != "latest" else name


def _versioned(spec: str) -> str:
    """uv also accepts `name@version` after `--from`."""
    name, at, version = spec.partition("@")
    return _pinned(name, version) if at and _PYPI_SPEC.fullmatch(name) and "/" not in spec else spec


def _pypi(
    runner: str,
    specs: tuple[str, ...],
    entry: str,
    args: tuple[str, ...],
    python: str | None,
    options: tuple[str, ...] = (),
) -> PackageRun:
    for spec in specs:
        if not _PYPI_SPEC.fullmatch(spec):
            raise _NotUnderstood(Why.NOT_OF_INDEX, spec)
    return PackageRun(
        runner=runner,
        source=PYPI,
        specs=specs,
        entry=_program(entry),
        args=args,
        python=python,
        options=options,
    )


def _program(name: str) -> str:
    """The name of a program of a package, which is no path to another program."""
    if not _PROGRAM.fullmatch(name) or name in (".", ".."):
        raise _NotUnderstood(Why.NOT_A_PROGRAM, name)
    return name


def _downloads_itself(runner: str, args: Sequence[str]) -> AsWritten | None:
    """Deno and Go get the code they run when they start."""
    program = next((word for word in args if not word.startswith("-")), "")
    if runner.startswith("go") and not _GO_PACKAGE.fullmatch(program):
        return None
    if runner.startswith("deno") and not program.startswith(("npm:", "jsr:", "https:", "http:")):
        return None
    return AsWritten(Reason(Why.DOWNLOADS_ITSELF, (runner, program)))


_UV_PYTHON = {"-p": "python", "--python": "python"}
_RUNNERS: tuple[
    tuple[tuple[str, ...], Callable[[str, Sequence[str]], PackageRun | AsWritten | None]], ...
] = (
    (("npx",), _npm),
    (("npm", "exec"), _npm),
    (("npm", "x"), _npm),
    (("bunx",), _npm),
    (("bun", "x"), _npm),
    (("pnpx",), _npm),
    (("pnpm", "dlx"), _npm),
    (("yarn", "dlx"), _npm),
    (("uvx",), _uv),
    (("uv", "tool", "run"), _uv),
    (("uv", "run"), _uv_run),
    (("pipx", "run"), _pipx),
    (("deno", "run"), _downloads_itself),
    (("deno", "serve"), _downloads_itself),
    (("go", "run"), _downloads_itself),
)
