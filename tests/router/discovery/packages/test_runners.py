"""Which package a command line means."""

from __future__ import annotations

import pytest

from router.discovery.packages.runners import AsWritten, PackageRun, recognise

NPM = [
    ("npx -y @scope/server /home/me", ("@scope/server",), None, ("/home/me",)),
    ("npx --yes server@1.2.3 --flag", ("server@1.2.3",), None, ("--flag",)),
    ("npx -p @scope/pkg@^2 run x", ("@scope/pkg@^2",), "run", ("x",)),
    ("npx --package=a --package b -- run", ("a", "b"), "run", ()),
    ("/usr/local/bin/npx server@latest", ("server@latest",), None, ()),
    ("npx.cmd -y server", ("server",), None, ()),
    ("npm exec -y -- server one", ("server",), None, ("one",)),
    ("npm x server", ("server",), None, ()),
    ("bunx --bun server", ("server",), None, ()),
]
PYPI = [
    (
        "uvx mcp-server-time --local UTC",
        ("mcp-server-time",),
        "mcp-server-time",
        ("--local", "UTC"),
    ),
    ("uvx ruff@0.3.0 check", ("ruff==0.3.0",), "ruff", ("check",)),
    ("uvx tool@latest", ("tool",), "tool", ()),
    ("uvx --from pkg[cli]==1.0 run a", ("pkg[cli]==1.0",), "run", ("a",)),
    ("uvx --from pkg@1.0 run", ("pkg==1.0",), "run", ()),
    ("uvx --with a,b --with c tool", ("tool", "a", "b", "c"), "tool", ()),
    ("uv tool run tool -x", ("tool",), "tool", ("-x",)),
    ("pipx run --spec pkg>=2 run", ("pkg>=2",), "run", ()),
    ("pipx run tool==1.1", ("tool==1.1",), "tool", ()),
]


@pytest.mark.parametrize(("line", "specs", "entry", "args"), [*NPM, *PYPI])
def test_a_package_is_recognised_with_its_version_and_arguments(
    line: str, specs: tuple[str, ...], entry: str | None, args: tuple[str, ...]
) -> None:
    command, *words = line.split()
    run = recognise(command, words)
    assert isinstance(run, PackageRun)
    assert (run.specs, run.entry, run.args) == (specs, entry, args)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("npx -c 'echo hi'", "unknown option -c"),
        ("npx --registry=x server", "unknown option --registry"),
        ("npx github:me/server", "github:me/server is not from the registry"),
        ("npx ./server", "./server is not from the registry"),
        ("npx -y", "no package name found"),
        ("npx -p", "-p has no value"),
        ("uvx --from git+https://x/y run", "git+https://x/y is not from the package index"),
        ("uvx --python 3.9 tool", "unknown option --python"),
        ("pipx run https://x/app.py", "https://x/app.py is not from the package index"),
    ],
)
def test_an_unknown_command_form_runs_as_written_and_says_why(line: str, reason: str) -> None:
    command, *words = line.split()
    run = recognise(command, words)
    assert isinstance(run, AsWritten)
    assert str(run.reason).endswith(f" as configured: {reason}.")
    assert not run.container


def test_a_container_is_recognised() -> None:
    run = recognise("docker", ["run", "-i", "--rm", "mcp/time"])
    assert isinstance(run, AsWritten)
    assert run.container


@pytest.mark.parametrize("line", ["node index.js", "python -m server", "npm start", "uv run x"])
def test_other_commands_are_not_packages(line: str) -> None:
    command, *words = line.split()
    assert recognise(command, words) is None


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("npx @scope/server@1.0.0", "@scope/server"),
        ("npx server@1.0.0", "server"),
        ("uvx --from pkg[cli]>=2 x", "pkg"),
    ],
)
def test_the_name_of_a_package_has_no_version(line: str, name: str) -> None:
    command, *words = line.split()
    run = recognise(command, words)
    assert isinstance(run, PackageRun)
    assert run.name == name
