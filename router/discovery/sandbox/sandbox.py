"""One sandboxed run: its folder, the command that starts it, its observations, and its removal.

The caller starts the command of a `SandboxedCommand` like any other. MCP is not known here.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import shutil
import stat
from collections.abc import (
    AsyncGenerator,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from router.discovery.sandbox import bubblewrap
from router.discovery.sandbox.lacked_files import SandboxView
from router.discovery.sandbox.launch_spec import (
    LaunchSpec,
    SandboxLimits,
    SandboxProfile,
    pack_environment,
)
from router.discovery.sandbox.observations import Observations
from router.discovery.sandbox.required_files import (
    files_needed,
    folders_named,
    interpreter_of,
    is_broad,
    may_share,
    without,
)
from router.discovery.sandbox.self_commands import inner_command
from router.discovery.sandbox.self_test import SandboxSupport, supported_sandbox
from router.discovery.sandbox.shims import behind_shim
from router.domain.json_values import parse_object
from router.domain.receipts import IsolationLevel, Protection, SharedPath
from router.store.files import is_running, private_folder
from router.upstream.process.network_variables import certificate_paths
from router.upstream.process.stdio import ServerCommand

log = logging.getLogger(__name__)
STATE_FILES = (
    "workspaces", "removed", "packages", "runs", "logs", "settings.json", "tokens.json",
    "activity.sqlite", "activity.sqlite-wal", "activity.sqlite-shm", "instance.json",
    "control.sock", "consent.key",
)  # fmt: skip
"""What Toolbooth has in its data directory, besides locks."""
_OBSERVATIONS = TypeAdapter(Observations)


@dataclass(frozen=True, slots=True)
class SandboxRequest:
    """A server to run in a sandbox; it inherits nothing, and its home is replaced."""

    server: ServerCommand
    network: bool = False
    readable: Sequence[str] = ()
    """What it needs besides the files that its command names."""
    shared: Sequence[SharedPath] = ()
    """What the user lets it use."""
    limits: SandboxLimits = field(default_factory=SandboxLimits)


@dataclass(frozen=True, slots=True)
class SandboxedCommand:
    command: ServerCommand
    protection: Protection
    observations_file: Path
    view: SandboxView

    def observations(self) -> Observations:
        """What the launcher has observed so far."""
        try:
            # Parsed by us: pydantic's own parser refuses file names that are not UTF-8, so that one
            # would hide everything else the server tried.
            observed = parse_object(self.observations_file.read_bytes())
            return _OBSERVATIONS.validate_python(observed)
        except (OSError, ValueError):
            return Observations()


@dataclass(slots=True)
class Sandbox:
    """Sandboxed runs with the best profile that this machine supports."""

    _folder: Path
    """Of all runs."""
    _home: Path
    """The user's, which is never shown to a server."""
    _data_dir: Path
    """Toolbooth's own. Of its state, a server sees no more than its own package."""
    _find_support: Callable[[], SandboxSupport] = supported_sandbox
    _swept: bool = False

    async def support(self) -> SandboxSupport:
        return await asyncio.to_thread(self._find_support)

    @asynccontextmanager
    async def command(self, request: SandboxRequest) -> AsyncGenerator[SandboxedCommand]:
        """The command to start. All files of the run are removed at the end."""
        support = await self.support()
        run = self._folder / f"{os.getpid()}-{secrets.token_hex(6)}"
        try:
            yield await asyncio.to_thread(self._prepare, run, request, support)
        finally:
            await asyncio.shield(asyncio.to_thread(remove_tree, run))

    def _prepare(
        self, run: Path, request: SandboxRequest, support: SandboxSupport
    ) -> SandboxedCommand:
        self._sweep()
        private_folder(run / "home")
        home = bubblewrap.home_inside(support.profile, run / "home")
        shared = tuple(each for each in request.shared if self.may_be_shared(each))
        links = tuple(self._links(home, shared))
        if support.profile.level < IsolationLevel.FULL:
            for link, target in links:
                Path(link).parent.mkdir(parents=True, exist_ok=True)
                Path(link).symlink_to(target)
        readable: set[str] = set()
        if support.profile.level:
            server = _without_shims(request.server)
            readable = self._readable(server, request.readable)
            confined = replace(request, server=server, shared=shared)
            command = self._confined(run, confined, support.profile, readable, links)
        else:
            env = _with_home(request.server.env, home, temporary=home)
            command = replace(request.server, env=env, cwd=request.server.cwd or home)
        in_force = protection(support, request.limits, network=request.network, shared=shared)
        view = SandboxView(
            self._home,
            home,
            in_force.files_blocked,
            (*sorted(readable), str(run)),
            shared,
            self._private,
        )
        return SandboxedCommand(command, in_force, run / "observations", view)

    @property
    def _private(self) -> tuple[str, ...]:
        return (str(self._folder.parent),)

    def may_be_shared(self, shared: SharedPath) -> bool:
        """Asked again at each run: a link may lead elsewhere since the user shared it."""
        return may_share(Path(shared.path), self._home, self._private)

    def _links(self, home: str, shared: Iterable[SharedPath]) -> Iterator[tuple[str, str]]:
        """What is shared from the user's home is in the server's home too."""
        for each in shared:
            path = Path(each.path)
            if path.is_relative_to(self._home):
                yield str(home / path.relative_to(self._home)), each.path

    def _readable(self, server: ServerCommand, known: Sequence[str]) -> set[str]:
        needed = files_needed(
            server.name,
            server.args,
            cwd=server.cwd,
            search_path=server.env.get("PATH", os.defpath),
            home=self._home,
            known=(*known, *self._certificates(server.env)),
        )
        return without(needed, self._state_files(), but=known)

    def _confined(
        self,
        run: Path,
        request: SandboxRequest,
        profile: SandboxProfile,
        readable: Collection[str],
        links: tuple[tuple[str, str], ...],
    ) -> ServerCommand:
        """`request` confined; its server is the one behind shims, and all in it may be shared."""
        home = bubblewrap.home_inside(profile, run / "home")
        temporary = "/tmp" if profile.level == IsolationLevel.FULL else home  # noqa: S108
        server, shared = request.server, request.shared
        environment = _with_home(server.env, home, temporary=temporary)
        cwd = server.cwd or home
        if not any(Path(cwd).is_relative_to(path) for path in readable):
            cwd = home
        spec = LaunchSpec(
            profile=profile,
            program=server.name,
            args=tuple(server.args),
            home=home,
            cwd=cwd,
            readable=tuple(sorted({*readable, *(s.path for s in shared if not s.writable)})),
            writable=tuple(sorted(s.path for s in shared if s.writable)),
            links=links,
            empty=tuple(sorted(folders_named(server.args, server.cwd, self._home))),
            observations=str(run / "observations"),
            limits=request.limits,
            network=request.network,
        )
        spec.write(run / "spec")
        launcher, *arguments = inner_command("confine", str(run / "spec"))
        return ServerCommand(
            launcher, arguments, _launcher_environment(environment), str(run), False
        )

    def _state_files(self) -> list[Path]:
        folder = self._data_dir
        known = (folder / name for name in STATE_FILES)
        return [*(path for path in known if path.exists()), *folder.glob("*.lock")]

    def _certificates(self, environment: Mapping[str, str]) -> Iterable[str]:
        """Without them a server that uses the network trusts nobody, and some don't even start."""
        for text in certificate_paths(environment, os.pathsep):
            path = Path(text)
            if path.is_absolute() and path.exists() and not is_broad(path, self._home):
                yield text

    def _sweep(self) -> None:
        """Remove, once, the runs of a router that was killed."""
        if self._swept or not self._folder.is_dir():
            return
        self._swept = True
        for left in self._folder.iterdir():
            maker = left.name.partition("-")[0]
            if maker.isdecimal() and int(maker) != os.getpid() and not is_running(int(maker)):
                remove_tree(left)


def _without_shims(server: ServerCommand) -> ServerCommand:
    """The same command with the programs that shims of version managers would start."""
    path = server.env.get("PATH", os.defpath)
    program = behind_shim(server.name, server.env, server.cwd)
    found = interpreter_of(Path(program), path)
    interpreter = behind_shim(str(found), server.env, server.cwd) if found else program
    real = {program: server.name, interpreter: str(found) if found else server.name}
    folders = [str(Path(each).parent) for each, shim in real.items() if each != shim]
    if not folders:
        return server
    env = {**server.env, "PATH": os.pathsep.join((*folders, path))}
    return replace(server, name=program, env=env)


def protection(
    support: SandboxSupport,
    limits: SandboxLimits,
    *,
    network: bool,
    shared: tuple[SharedPath, ...] = (),
) -> Protection:
    """The protection of a run with these limits on this machine."""
    level = IsolationLevel(support.profile.level)
    bounded = level >= IsolationLevel.LIMITED
    return Protection(
        level=level,
        network=network or level < IsolationLevel.CONFINED,
        memory_mb=limits.memory_mb if bounded else None,
        tasks=limits.tasks if bounded else None,
        cpu_percent=limits.cpu_percent if bounded else None,
        missing=support.missing,
        shared=shared,
    )


def _launcher_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of the launcher: Python on Windows needs SYSTEMROOT to start, and a bundle
    finds its libraries by itself."""
    own = {name: os.environ[name] for name in ("SYSTEMROOT", "PATH") if name in os.environ}
    return {**own, **pack_environment(environment)}


def _with_home(environment: Mapping[str, str], home: str, *, temporary: str) -> dict[str, str]:
    """Every variable that locates the user's files points to the run's own home."""
    kept = {k: v for k, v in environment.items() if not k.startswith("XDG_")}
    homes = dict.fromkeys(("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"), home)
    present = {k: v for k, v in homes.items() if k == "HOME" or k in kept}
    return {**kept, **present, "TMPDIR": temporary, "TEMP": temporary, "TMP": temporary}


def remove_tree(folder: Path) -> None:
    """Remove `folder`, also if its permissions forbid that."""

    def retry(_: Callable[..., Any], path: str, __: Any) -> None:
        try:
            Path(path).parent.chmod(stat.S_IRWXU)
            if not Path(path).is_symlink():  # its target is the user's
                Path(path).chmod(stat.S_IRWXU)
            if Path(path).is_dir() and not Path(path).is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                Path(path).unlink()
        except OSError as error:
            log.warning("%s could not be removed: %s", path, error)

    if folder.exists():
        shutil.rmtree(folder, onerror=retry)
