"""A private package is never looked up in the public registry, where its name may be another's."""

from __future__ import annotations

from pathlib import Path

import pytest

from router.config.server import ServerConfig
from router.discovery.packages.runner_settings import as_written_because
from router.discovery.packages.runners import PackageRun, recognise


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return tmp_path / "home"


def written(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def reason(line: str, *, cwd: Path | None = None, has_uv: bool = False, **env: str) -> str:
    command, *args = line.split()
    run = recognise(command, args)
    assert isinstance(run, PackageRun)
    config = ServerConfig(
        command=command, args=tuple(args), cwd=str(cwd) if cwd else None, env=dict(env)
    )
    found = as_written_because(run, config, has_uv=has_uv)
    return str(found.reason) if found else ""


@pytest.mark.parametrize(
    ("line", "file", "text"),
    [
        ("bunx server", ".bunfig.toml", "[install]\nregistry = 'https://corp'"),
        ("yarn dlx server", ".yarnrc.yml", "npmScopes: {}\nnpmRegistryServer: https://corp"),
        ("pnpm dlx server", ".config/pnpm/rc", "registry=https://corp"),
        ("uvx server", ".config/uv/uv.toml", "[[index]]\nurl = 'https://corp'"),
    ],
)
def test_where_a_runner_has_a_registry_of_its_own_its_command_runs_as_written(
    home: Path, line: str, file: str, text: str
) -> None:
    assert reason(line) == ""
    named = written(home / file, text)
    runner = " ".join(line.split()[:-1])
    assert reason(line) == f"Started by {runner} as configured: {named} may change what it runs."


def test_with_uv_its_own_settings_apply(home: Path) -> None:
    written(home / ".config/uv/uv.toml", "[[index]]\nurl = 'https://corp'")
    assert reason("uvx server", has_uv=True) == ""


def test_a_program_installed_in_the_servers_folder_is_what_npx_runs(home: Path) -> None:
    project = home / "project"
    assert reason("npx server", cwd=project) == ""
    assert reason("npx @scope/tool", cwd=project / "deep") == ""
    local = written(project / "node_modules" / ".bin" / "server")
    assert str(local) in reason("npx server", cwd=project / "deep")
    assert reason("npx other", cwd=project) == ""


def test_the_registry_of_the_servers_folder_is_npms_own_matter(home: Path) -> None:
    file = written(home / "project" / ".npmrc", "@corp:registry=https://npm.corp")
    assert str(file) in reason("npx -y @corp/server", cwd=file.parent)


def test_in_a_project_uv_run_uses_the_project(home: Path) -> None:
    file = written(home / "project" / "pyproject.toml")
    assert str(file) in reason("uv run --with mcp mcp", cwd=file.parent)
    assert reason("uv run --with mcp mcp", cwd=home) == ""


def test_a_registry_that_needs_a_secret_is_not_replaced_by_the_public_one(home: Path) -> None:
    assert "UV_INDEX_URL" in reason("uvx server", UV_INDEX_URL="https://${keyring:k}@corp/simple")
    assert reason("uvx server", UV_INDEX_URL="https://corp/simple", KEY="${keyring:k}") == ""
