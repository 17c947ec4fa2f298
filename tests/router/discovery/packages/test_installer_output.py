"""What a failed installer tells, with outputs that npm, pip and uv really printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from router.discovery.packages.installer_output import failure_of_output, required_python
from router.domain.failures import FailureKind

OUTPUTS = Path(__file__).parent / "output"
NOT_FOUND, UNREACHABLE = FailureKind.PACKAGE_NOT_FOUND, FailureKind.REGISTRY_UNREACHABLE
OTHER, PYTHON = FailureKind.FETCH_FAILED, FailureKind.PYTHON_NEEDED
UNBUILT = "has no usable wheels: it would have to be built, which runs its code"
NONE_BUILT = "there is none, or none that need not be built"


@pytest.mark.proves("DISC-12")
@pytest.mark.parametrize(
    ("output", "kind", "detail"),
    [
        (
            "npm_version",
            NOT_FOUND,
            "No matching version found for @modelcontextprotocol/server-filesystem@99.0.0",
        ),
        (
            "npm_404",
            NOT_FOUND,
            "'@modelcontextprotocol/does-not-exist-xyz@*' could not be found or you do not have "
            "permission to access it",
        ),
        (
            "npm_net",
            UNREACHABLE,
            "request to http://127.0.0.1:9/left-pad failed, reason: connect ECONNREFUSED "
            "127.0.0.1:9",
        ),
        (
            "npm_dns",
            UNREACHABLE,
            "request to http://no-such-host.invalid/left-pad failed, reason: getaddrinfo ENOTFOUND "
            "no-such-host.invalid",
        ),
        ("npm_engine", OTHER, "Not compatible with your version of node/npm: npm@1.4.0"),
        (
            "npm_platform",
            OTHER,
            'Unsupported platform for @esbuild/darwin-arm64@0.28.2: wanted {"os":"darwin",'
            '"cpu":"arm64"} (current: {"os":"linux","cpu":"x64"})',
        ),
        ("pip_version", NOT_FOUND, "No matching distribution found for mcp-server-time==99"),
        (
            "pip_404",
            NOT_FOUND,
            f"No matching distribution found for does-not-exist-xyz-abc: {NONE_BUILT}",
        ),
        ("pip_sdist", NOT_FOUND, f"No matching distribution found for docopt==0.6.2: {NONE_BUILT}"),
        (
            "pip_net",
            UNREACHABLE,
            "Failed to establish a new connection: [Errno 111] Connection refused",
        ),
        (
            "pip_conflict",
            OTHER,
            "Cannot install anyio<3 and mcp==1.0.0 because these package versions have conflicting "
            "dependencies",
        ),
        ("uv_version", NOT_FOUND, "there is no version of mcp-server-time==99"),
        ("uv_older_version", NOT_FOUND, "there is no version of mcp-server-time==99"),
        (
            "uv_404",
            NOT_FOUND,
            "does-not-exist-xyz-abc was not found in the package registry",
        ),
        ("uv_net", UNREACHABLE, "Connection refused (os error 111)"),
        ("uv_tls", UNREACHABLE, "invalid peer certificate: UnknownIssuer"),
        (
            "uv_conflict",
            OTHER,
            "Because mcp==1.0.0 depends on anyio>=4.6 and you require mcp==1.0.0",
        ),
        ("uv_sdist", OTHER, f"docopt==0.6.2 {UNBUILT}"),
        ("uv_yanked", OTHER, f"requests>=2.32.0,<=2.32.1 {UNBUILT}"),
        (
            "uv_nodl",
            OTHER,
            "No interpreter found for Python >=3.14 in managed installations or search path",
        ),
        (
            "uv_nopy",
            OTHER,
            "No interpreter found for Python 3.99 in managed installations or search path",
        ),
        (
            "uv_requires",
            PYTHON,
            "the current Python version (3.11.7) does not satisfy Python>=3.12",
        ),
        (
            "uv_older_requires",
            PYTHON,
            "the current Python version (3.11.7) does not satisfy Python>=3.12",
        ),
        ("pip_requires", PYTHON, ""),
        ("pip_direct_requires", PYTHON, ""),
    ],
)
def test_the_telling_line_of_an_installer_is_quoted(
    output: str, kind: FailureKind, detail: str
) -> None:
    failure = failure_of_output("the-package", (OUTPUTS / f"{output}.txt").read_text())
    assert (failure.kind, failure.detail) == (kind, detail)


def test_every_recorded_output_is_tested() -> None:
    source = Path(__file__).read_text()
    assert [file.stem for file in OUTPUTS.iterdir() if f'"{file.stem}"' not in source] == []


def test_a_yanked_version_is_told_as_that() -> None:
    text = "Because server==1.2 was yanked (reason: leaks memory) and you require server==1.2"
    failure = failure_of_output("server", f"  × No solution found\n  ╰─▶ {text}, we can conclude")
    assert failure.detail == "server==1.2 was yanked (reason: leaks memory)"


@pytest.mark.parametrize(
    ("output", "needed"),
    [
        ("pip_requires", ">=3.12.1"),
        ("pip_direct_requires", ">=3.99"),
        ("uv_requires", ">=3.12"),
        ("uv_404", ""),
    ],
)
def test_the_python_that_a_package_requires_is_found(output: str, needed: str) -> None:
    assert required_python((OUTPUTS / f"{output}.txt").read_text()) == needed


def test_the_password_of_a_registry_is_not_quoted() -> None:
    url = "https://me:s3cret@npm.corp.example/server"
    output = f"npm error network request to {url} failed, reason: connect ECONNREFUSED"
    assert "s3cret" not in failure_of_output("server", output).detail
