"""The build programs: what they install, what they refuse, what they print."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType

import pytest

PACKAGING = Path(__file__).parent.parent / "packaging"


def load(name: str) -> ModuleType:
    """A build program as a module; its folder is not a package."""
    spec = importlib.util.spec_from_file_location(name, PACKAGING / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


def add_program(folder: Path, name: str, script: str) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


class TestSystemPackages:
    @pytest.fixture
    def packages(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
        """The program, on a system that has apt-get but not `libmissing.so.1`."""
        module = load("system_packages")
        monkeypatch.setattr(module, "QT", {"libmissing.so.1": "libmissing1"})
        monkeypatch.setattr(module, "TEST_PROGRAMS", {})
        monkeypatch.setattr("sys.argv", ["system_packages.py", "test"])
        add_program(tmp_path, "apt-get", f'echo "$@" >> "{tmp_path}/apt.log"; echo Unpacking')
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        return module

    def test_serving_without_a_display_needs_no_library(
        self, packages: ModuleType, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("DISPLAY", raising=False)
        monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
        assert packages.missing_packages("run") == {}

    @pytest.mark.parametrize("display", ["DISPLAY", "WAYLAND_DISPLAY"])
    def test_a_window_needs_the_libraries_of_qt(
        self, packages: ModuleType, monkeypatch: pytest.MonkeyPatch, display: str
    ) -> None:
        monkeypatch.setenv(display, ":0")
        assert packages.missing_packages("run").get("libmissing.so.1") == "libmissing1"

    def test_missing_packages_print_the_command_and_exit_with_2(
        self,
        packages: ModuleType,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setattr("os.geteuid", lambda: 1000)
        with pytest.raises(SystemExit) as stopped:
            packages.main()
        assert stopped.value.code == 2
        command = "apt-get install --yes --no-install-recommends libmissing1"
        assert f"sudo {command}" in capsys.readouterr().err

    def test_as_root_missing_packages_are_installed_and_named(
        self,
        packages: ModuleType,
        monkeypatch: pytest.MonkeyPatch,
        capfd: pytest.CaptureFixture[str],
        tmp_path: Path,
    ) -> None:
        monkeypatch.setattr("os.geteuid", lambda: 0)
        with pytest.raises(SystemExit):  # since this apt-get installs nothing
            packages.main()
        update, install = (tmp_path / "apt.log").read_text().splitlines()
        assert update.startswith("update")
        assert install.startswith("install --yes --no-install-recommends libmissing1")
        printed = capfd.readouterr()
        assert "installed now with apt-get: libmissing1" in printed.err
        assert "Unpacking" not in printed.out + printed.err

    def test_what_apt_get_prints_is_shown_if_it_fails(
        self, packages: ModuleType, capfd: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        add_program(tmp_path, "apt-get", "echo Unable to locate package; exit 100")
        packages.install({"libmissing.so.1": "libmissing1"})
        assert "Unable to locate package" in capfd.readouterr().err


class TestEnvironment:
    def test_a_step_is_done_again_only_when_a_source_changed(self, tmp_path: Path) -> None:
        once, done = load("environment").once, list[str]()
        record, lock = tmp_path / "record", tmp_path / "lock"

        def ask_for(step: str) -> None:
            once(record, (lock,), step, lambda: done.append(f"{step} {lock.read_text()}"))

        for content in ("old", "new"):
            lock.write_text(content)
            for step in ("run", "dev", "run", "dev"):
                ask_for(step)
        assert done == ["run old", "dev old", "run new", "dev new"]

    def test_an_environment_whose_creation_was_interrupted_is_created_again(
        self, tmp_path: Path
    ) -> None:
        module = load("environment")
        venv = module.Environment(tmp_path / "venv", ())
        assert not venv.is_complete
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv.folder], check=True)
        assert venv.python.exists()
        assert not venv.is_complete
        assert module.OURS.is_complete

    def test_a_failed_step_is_retried(self, tmp_path: Path) -> None:
        once = load("environment").once
        lock = tmp_path / "lock"
        lock.touch()

        def fail() -> None:
            raise SystemExit("no network")

        for _ in range(2):
            with pytest.raises(SystemExit):
                once(tmp_path / "record", (lock,), "run", fail)

    @pytest.mark.parametrize("code", [0, 1])
    @pytest.mark.parametrize("program", ["pip", "npm", "venv"])
    def test_warnings_of_an_installer_are_shown_only_when_it_fails(
        self,
        program: str,
        code: int,
        tmp_path: Path,
        capfd: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        environment = load("environment")
        monkeypatch.setattr(environment, "ROOT", tmp_path)
        (tmp_path / "bin").mkdir()
        add_program(tmp_path / "bin", "python", f"echo warning >&2; echo added; exit {code}")
        ours = environment.Environment(tmp_path, ())
        monkeypatch.setattr(environment, "OURS", ours)
        monkeypatch.setattr("sys.executable", str(ours.python))
        installers: dict[str, Callable[[], None]] = {
            "pip": lambda: environment.pip(ours, "package"),
            "npm": lambda: environment.npm(tmp_path, tmp_path / "package-lock.json", "ci"),
            "venv": lambda: environment.run([str(ours.python), "-m", "venv"]),
        }
        with pytest.raises(SystemExit) if code else nullcontext():
            installers[program]()
        printed = capfd.readouterr()
        told = "Installing package-lock.json with npm.\n" if program == "npm" else ""
        assert printed.out == ""
        assert printed.err == told + ("warning\nadded\n" if code else "")


class TestRequirementsTable:
    TEXT = "# All\n\n### ONE-1\n\nFirst.\n\n- `tests/a.py::test_gone`\n\n### ONE-2\n\nSecond.\n"

    def test_the_requirements_table_is_made_from_the_markers(self) -> None:
        tests = {"ONE-2": ["tests/a.py::test_b"]}
        assert load("requirements_table").with_tests(self.TEXT, tests) == (
            "# All\n\n### ONE-1\n\nFirst.\n\n### ONE-2\n\nSecond.\n\n- `tests/a.py::test_b`\n"
        )

    def test_requirements_without_tests_and_unknown_requirements_are_errors(self) -> None:
        tests = {"ONE-1": ["tests/test_a.py::test_b"], "TWO-1": ["tests/test_a.py::test_c"]}
        assert load("requirements_table").unmatched_names(self.TEXT, tests) == [
            "No test proves ONE-2.",
            "tests/test_a.py::test_c proves TWO-1, which is not a requirement.",
        ]

    def test_markers_are_read_from_tests_and_their_classes(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        table = load("requirements_table")
        (tmp_path / "test_a.py").write_text(
            "@pytest.mark.proves('ONE-1')\n"
            "class TestThing:\n"
            "    @pytest.mark.proves('ONE-2')\n"
            "    async def test_it(self): ...\n"
            "def test_unmarked(): ...\n"
        )
        monkeypatch.setattr(table, "ROOT", tmp_path)
        it = "test_a.py::TestThing::test_it"
        assert table.tests_by_requirement(tmp_path) == {"ONE-1": [it], "ONE-2": [it]}
