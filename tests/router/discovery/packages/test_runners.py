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
    ("pnpm dlx @scope/server@2 --x", ("@scope/server@2",), None, ("--x",)),
    ("pnpx server", ("server",), None, ()),
    ("yarn dlx -q -p pkg run a", ("pkg",), "run", ("a",)),
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
    ("uvx -p 3.12 tool a", ("tool",), "tool", ("a",)),
    ("uvx --python=3.12 --from pkg[a,b] run", ("pkg[a,b]",), "run", ()),
    ("uv run --with mcp[cli] mcp run s.py", ("mcp[cli]",), "mcp", ("run", "s.py")),
    ("uv run --frozen --with a,b[x,y] python s.py", ("a", "b[x,y]"), "python", ("s.py",)),
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
        ("npx --userconfig=x server", "unknown option --userconfig"),
        ("npx server.tgz", "server.tgz is not from the registry"),
        ("npx @scope/..", "@scope/.. is not from the registry"),
        ("npx -p server ../../bin/sh", "../../bin/sh is not a program of a package"),
        ("pnpm dlx --allow-build=x server", "unknown option --allow-build"),
        ("npx github:me/server", "github:me/server is not from the registry"),
        ("npx ./server", "./server is not from the registry"),
        ("npx -y", "no package name found"),
        ("npx -p", "-p has no value"),
        ("uvx --from git+https://x/y run", "git+https://x/y is not from the package index"),
        ("uvx --from pkg@https://x/y.whl run", "pkg@https://x/y.whl is not from the package index"),
        ("uvx --from pkg /bin/sh", "/bin/sh is not a program of a package"),
        ("uv run --with pkg server.py", "server.py may change what it runs"),
        ("pipx run https://x/app.py", "https://x/app.py is not from the package index"),
    ],
)
def test_an_unknown_command_form_runs_as_written_and_says_why(line: str, reason: str) -> None:
    command, *words = line.split()
    run = recognise(command, words)
    assert isinstance(run, AsWritten)
    assert str(run.reason).endswith(f" as configured: {reason}.")
    assert not run.container


def test_the_python_and_the_index_that_are_asked_for_are_kept() -> None:
    words = "--python 3.12 --index-url https://pypi.corp/simple tool".split()
    run = recognise("uvx", words)
    assert isinstance(run, PackageRun)
    assert run.python == "3.12"
    assert run.options == ("--index-url=https://pypi.corp/simple",)
    npm = recognise("npx", ["--registry", "https://npm.corp", "server"])
    assert isinstance(npm, PackageRun)
    assert npm.options == ("--registry=https://npm.corp",)


@pytest.mark.parametrize(
    "line",
    ["deno run -A npm:@scope/server", "deno run -A jsr:@x/y", "go run github.com/x/y@latest"],
)
def test_a_program_that_is_downloaded_at_its_start_runs_as_written(line: str) -> None:
    command, *words = line.split()
    run = recognise(command, words)
    assert isinstance(run, AsWritten)
    assert str(run.reason) == (
        f"Started as configured: {' '.join([command, words[0]])} downloads {words[-1]} when it "
        "starts."
    )


@pytest.mark.parametrize("engine", ["docker", "podman"])
def test_a_container_is_recognised(engine: str) -> None:
    run = recognise(engine, ["run", "-i", "--rm", "mcp/time"])
    assert isinstance(run, AsWritten)
    assert run.container


@pytest.mark.parametrize(
    "line",
    [
        "node index.js",
        "python -m server",
        "npm start",
        "uv run x",
        "uv run x --with y",
        "java -jar server.jar",
        "deno run -A server.ts",
        "go run ./cmd/server",
        "./server.sh",
    ],
)
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
