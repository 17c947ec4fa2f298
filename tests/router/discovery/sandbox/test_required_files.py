"""Which files a sandbox makes readable for a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from router.discovery.sandbox.bubblewrap import system_path
from router.discovery.sandbox.required_files import files_needed, folders_named, without


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "people" / "ann"
    home.mkdir(parents=True)
    return home


def program(path: Path, first_line: str = "") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{first_line}\n")
    path.chmod(0o755)
    return str(path)


def needed(
    command: str, *args: str, home: Path, cwd: str | None = None, path: str = ""
) -> set[str]:
    return files_needed(command, args, cwd=cwd, search_path=path, home=home)


def test_a_program_is_readable_with_its_installation(home: Path) -> None:
    node = program(home / ".nvm" / "v20" / "bin" / "node")
    assert needed(node, home=home) == {str(home / ".nvm" / "v20")}


def test_a_program_directly_in_the_home_does_not_expose_the_home(home: Path) -> None:
    (home / ".local" / "lib").mkdir(parents=True)
    tool = program(home / ".local" / "bin" / "tool")
    assert needed(tool, home=home) == {tool, str(home / ".local" / "lib")}


def test_a_symlink_is_followed_to_its_target(home: Path) -> None:
    real = program(home / "venvs" / "tool" / "bin" / "tool")
    link = home / ".local" / "bin" / "tool"
    link.parent.mkdir(parents=True)
    link.symlink_to(real)
    assert needed(str(link), home=home) == {str(link), str(home / "venvs" / "tool")}


def test_a_node_program_is_readable_with_the_packages_beside_it(home: Path) -> None:
    modules = home / "site" / "node_modules"
    real = program(modules / "server-x" / "dist" / "index.js")
    (modules / ".bin").mkdir()
    (modules / ".bin" / "server-x").symlink_to(real)
    assert needed(str(modules / ".bin" / "server-x"), home=home) == {str(modules)}


def test_the_interpreter_of_a_script_is_readable(home: Path) -> None:
    program(home / "python" / "bin" / "python3")
    direct = program(home / "a" / "bin" / "one", f"#!{home}/python/bin/python3")
    searched = program(home / "b" / "bin" / "two", "#!/usr/bin/env -S python3 -u")
    for script in (direct, searched):
        found = needed(script, home=home, path=str(home / "python" / "bin"))
        assert str(home / "python") in found


def test_the_base_python_of_a_virtual_environment_is_readable(home: Path) -> None:
    base = program(home / "pyenv" / "3.11" / "bin" / "python3")
    python = program(home / "project" / ".venv" / "bin" / "python")
    (home / "project" / ".venv" / "pyvenv.cfg").write_text(f"home = {Path(base).parent}\n")
    assert str(home / "pyenv" / "3.11") in needed(python, home=home)


def test_the_project_of_a_script_argument_is_readable(home: Path) -> None:
    script = Path(program(home / "code" / "server" / "dist" / "index.js"))
    (home / "code" / "server" / "package.json").touch()
    assert needed("/usr/bin/node", str(script), home=home) == {str(home / "code" / "server")}


def test_of_a_script_in_the_home_only_the_file_is_readable(home: Path) -> None:
    script = program(home / "server.py")
    assert needed("/usr/bin/python3", script, home=home) == {script}


def test_a_folder_named_by_an_option_is_readable(home: Path) -> None:
    (home / "repository").mkdir()
    found = needed("/usr/bin/tool", f"--repository={home}/repository", home=home)
    assert found == {str(home / "repository")}


def test_the_home_is_never_readable_however_it_is_named(home: Path) -> None:
    (home / "roundabout").symlink_to(home)
    for named in (str(home), "/", str(home.parent), f"{home}/../ann", str(home / "roundabout")):
        assert needed("/usr/bin/tool", named, home=home) == set()
    assert folders_named([str(home), "/"], None, home) == {str(home)}


def test_arguments_that_are_not_paths_are_ignored(home: Path) -> None:
    words = ("-y", "@scope/package", "a\0b", "x" * 5000, "--", "")
    assert needed("/usr/bin/npx", *words, home=home) == set()


def test_a_symlink_into_a_system_folder_stays_a_symlink(tmp_path: Path) -> None:
    """A server that names its time zone must list the same tools as outside of the sandbox."""
    localtime, zone = tmp_path / "localtime", "/usr/share/zoneinfo/not/installed"
    localtime.symlink_to(zone)
    assert system_path(str(localtime)) == ("--symlink", zone, str(localtime))


def test_a_symlink_out_of_the_system_folders_is_replaced_by_its_target(tmp_path: Path) -> None:
    stub, link = tmp_path / "stub-resolv.conf", tmp_path / "resolv.conf"
    link.symlink_to(stub)
    assert system_path(str(link)) == ("--ro-bind-try", str(stub), str(link))
    assert system_path(str(stub)) == ("--ro-bind-try", str(stub), str(stub))


@pytest.mark.proves("DISC-6")
def test_hidden_files_are_not_readable_as_part_of_a_folder_or_through_a_link(
    tmp_path: Path,
) -> None:
    project = tmp_path / "project"
    state = project / ".data"
    for file in ("main.py", "lib/a.py", ".data/tokens.json", ".data/packages/p/index.js"):
        path = project / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    hidden = [state / "tokens.json", state / "packages"]
    (tmp_path / "link").symlink_to(state / "tokens.json")

    def shown(*paths: Path, but: Path | None = None) -> set[str]:
        found = without(map(str, paths), hidden, but=[str(but)] if but else [])
        return {str(Path(each).relative_to(tmp_path)) for each in found}

    assert shown(project) == {"project/main.py", "project/lib"}
    assert shown(tmp_path / "link", state / "tokens.json", state / "packages" / "p") == set()
    own = state / "packages" / "p"
    assert shown(own, but=own) == {"project/.data/packages/p"}
