"""Packages of the Python index, with real wheels and the real pip; no index is reached."""

from __future__ import annotations

import base64
import hashlib
import os
import sys
import tarfile
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from router.discovery.packages.installer import install
from router.discovery.packages.installer_process import Fetch
from router.discovery.packages.interpreters import Interpreter, satisfies
from router.discovery.packages.runners import PackageRun, recognise
from router.domain.errors import UpstreamFailed
from router.domain.failures import FailureKind

CODE = "open({!r}, 'w').write('ran')\n"


def wheel(folder: Path, name: str, files: dict[str, str], *metadata: str) -> None:
    about = f"{name}-1.0.dist-info"
    lines = ("Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0", *metadata)
    entries = "[console_scripts]\n" + f"{name}={name}:main\npython={name}:main\n"
    content = files | {
        f"{name}.py": "def main(): print('started')\n",
        f"{about}/METADATA": "\n".join(lines) + "\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": entries,
    }
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as archive:
        record = [_recorded(path, text) for path, text in content.items()]
        for path, text in content.items():
            archive.writestr(path, text)
        archive.writestr(f"{about}/RECORD", "\n".join([*record, f"{about}/RECORD,,"]) + "\n")


def _recorded(path: str, text: str) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=")
    return f"{path},sha256={digest.decode()},{len(text.encode())}"


def source_package(folder: Path, name: str, setup: str) -> Path:
    path = folder / f"{name}-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for file, text in {
            "setup.py": setup,
            "backend.py": setup,
            "pyproject.toml": "[build-system]\nrequires = []\nbuild-backend = 'backend'\n"
            "backend-path = ['.']\n",
        }.items():
            about = tarfile.TarInfo(f"{name}-1.0/{file}")
            about.size = len(text)
            archive.addfile(about, BytesIO(text.encode()))
    return path


@pytest.fixture
def fetch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fetch:
    """Of the package `server`, from a folder of wheels. Only one Python is found, and no uv."""
    programs, folder = tmp_path / "bin", tmp_path / "fetched"
    for each in (programs, folder, tmp_path / "wheels"):
        each.mkdir()
    (programs / "python3").symlink_to(sys._base_executable)  # pyright: ignore
    for name in [each for each in os.environ if each.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("HOME", str(tmp_path))
    run = recognise("uvx", ["server"])
    assert isinstance(run, PackageRun)
    return Fetch(run, folder, str(programs))


async def test_fetching_a_hostile_wheel_runs_none_of_its_code(fetch: Fetch, tmp_path: Path) -> None:
    """Python executes `.pth` files and `sitecustomize` whenever it starts; and a wheel can bring a
    program named `python`."""
    ran = tmp_path / "ran"
    code = CODE.format(str(ran))
    hostile = {"evil.pth": f"import os; {code}", "sitecustomize.py": code, "usercustomize.py": code}
    wheel(tmp_path / "wheels", "server", hostile)
    installed = await install(fetch)
    assert installed.version == "1.0"
    assert Path(installed.command[0]).is_relative_to(fetch.folder)
    assert list(fetch.folder.glob("venv/lib/*/site-packages/__pycache__/server.*.pyc"))
    assert not ran.exists()


async def test_a_dependency_that_would_have_to_be_built_is_refused(
    fetch: Fetch, tmp_path: Path
) -> None:
    """One that is given by its address: pip's `--only-binary` does not apply to it."""
    ran = tmp_path / "ran"
    address = source_package(tmp_path, "evil", CODE.format(str(ran))).as_uri()
    wheel(tmp_path / "wheels", "server", {}, f"Requires-Dist: evil @ {address}")
    with pytest.raises(UpstreamFailed) as caught:
        await install(fetch)
    assert "it would have to be built, which runs its code" in caught.value.failure.detail
    assert not ran.exists()


async def test_without_a_suitable_python_the_needed_and_the_found_ones_are_named(
    fetch: Fetch, tmp_path: Path
) -> None:
    wheel(tmp_path / "wheels", "server", {}, "Requires-Python: >=3.99")
    with pytest.raises(UpstreamFailed) as caught:
        await install(fetch)
    failure = caught.value.failure
    assert (failure.kind, failure.subject) == (FailureKind.PYTHON_NEEDED, ">=3.99")
    assert ".".join(map(str, sys.version_info[:3])) in failure.detail


@pytest.mark.parametrize(
    ("wanted", "suits"),
    [
        ("3.12", True),
        ("3", True),
        ("3.1", False),
        ("python3.12", True),
        ("cpython@3.12.1", True),
        ("3.13", False),
        (">=3.11,<3.14", True),
        (">=3.12.1", True),
        (">3.12.1", False),
        (">=3.13", False),
        ("~=3.11", True),
        ("~=3.11.0", False),
        ("==3.12.*,!=3.12.0", True),
        ("!=3.12.*", False),
        ("/usr/bin/python3.12", True),
        ("/usr/bin/python3", False),
        ("pypy", False),
    ],
)
def test_a_python_is_chosen_as_uv_would(wanted: str, suits: bool) -> None:
    assert satisfies(Interpreter("/usr/bin/python3.12", "3.12.1"), wanted) is suits
