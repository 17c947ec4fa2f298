"""`python -m bench.commands`: what commands of the terminal and a start of the router cost.

CPU time, of which other programs take nothing, and the fastest of several rounds. A limit that is
exceeded is an exit code of 1.
"""

from __future__ import annotations

import argparse
import compileall
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
TOOLBOOTH = Path(sys.executable).with_name("toolbooth")
ROUNDS = 5
_INFORMATION = ("--version", "--help")
_COMMANDS = (("list",), ("search", "read a file"), ("call", "files:read_file"))


@dataclass(frozen=True, slots=True)
class Cost:
    what: str
    cpu_s: float
    limit_s: float

    @property
    def is_within(self) -> bool:
        return self.cpu_s < self.limit_s


def measure_commands(rounds: int = ROUNDS) -> list[Cost]:
    """The costs of the commands that people and scripts use most."""
    for package in ("router", "gui", "resources"):  # as installed: nothing is compiled meanwhile
        compileall.compile_dir(ROOT / package, quiet=1)
    with tempfile.TemporaryDirectory() as folder:
        place = ("--data-dir", folder)
        costs = [Cost(word, _cheapest(rounds, word), 0.15) for word in _INFORMATION]
        costs += [
            Cost(f"{words[0]}, nothing running", _cheapest(rounds, *words, *place), 0.6)
            for words in _COMMANDS
        ]
        costs.append(Cost("serve, until it listens", min(_serve_s(place, rounds)), 0.8))
        with _serving(place):
            costs += [
                Cost(f"{words[0]}, beside an instance", _cheapest(rounds, *words, *place), 0.25)
                for words in _COMMANDS
            ]
    return costs


def _cheapest(rounds: int, *words: str) -> float:
    return min(_command_s(words) for _ in range(rounds))


def _command_s(words: Sequence[str]) -> float:
    """Whether the command succeeds makes no difference: there is no server to call."""
    nothing = subprocess.DEVNULL
    process = subprocess.Popen([TOOLBOOTH, *words], stdin=nothing, stdout=nothing, stderr=nothing)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime


def _serve_s(place: Sequence[str], rounds: int) -> Generator[float]:
    for _ in range(rounds):
        with _serving(place) as process:
            fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
            yield (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _serving(place: Sequence[str]) -> Generator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [TOOLBOOTH, "serve", "--port", "0", *place],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    try:
        process.stdout.readline()
        yield process
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.commands", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    costs = measure_commands(parser.parse_args().rounds)
    for cost in costs:
        verdict = "" if cost.is_within else "  TOO MUCH"
        print(f"{cost.what:32} {cost.cpu_s:5.2f} s  (limit {cost.limit_s:.2f} s){verdict}")
    return 0 if all(cost.is_within for cost in costs) else 1


if __name__ == "__main__":
    sys.exit(main())
