"""What an installer's output says about why it failed: the line that tells it, and the kind. Pure.

npm, pip and uv print the code of an error, advice or a stack trace before or after the line that
names the cause. Their recorded outputs are in `tests/router/discovery/packages/output`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from router.domain.failures import Failure, FailureKind

_MAX_DETAIL = 300
_PREFIX = re.compile(r"^\s*(?:npm (?:error|ERR!)|ERROR:|error:|[×╰─▶│├ ]+)\s*", re.IGNORECASE)
_NPM_LABEL = re.compile(
    r"^(?:notarget|404|network|notsup|engine|enoent|enospc|need auth)\s+", re.IGNORECASE
)
_NOT_TELLING = re.compile(
    r"(?:npm )?(?:code|errno|syscall|path|dest)\s\S+|a complete log of this run|at \S+ \(|hint:"
    r"|\[notice\]|warning:|deprecationwarning|note:|see above|[\W_]*$",
    re.IGNORECASE,
)
_CREDENTIALS = re.compile(r"(?<=//)[^/\s@]+@")
_REQUIRES_PYTHON = re.compile(
    r"(?:Requires-Python\s*|depends? on Python\s*|does not satisfy Python\s*"
    r"|requires a different Python: [\d.]+ not in ')"
    r"((?:[<>=!~]=?=?\s*[\d.*]+\s*,?\s*)+)"
)
_CLAUSES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"the current Python version \([\d.]+\) does not satisfy Python\S+",
        r"\S+ was yanked(?: \([^)]*\)|: [^,;]+)?",
        r"no matching version found for \S+",
        r"'\S+' could not be found or you do not have permission to access it",
        r"unsupported platform for [^(]+\([^)]+\)",
        r"not compatible with your version of node/npm: \S+",
        r"request to \S+ failed, reason: .+",
        r"refusing to fetch .+",
        r"cannot install .+ because these package versions have conflicting dependencies",
        r"connection broken by '(?:\w+)\(.*?: ([^']+)'\)",
        r"no matching distribution found for .+",
        r"there (?:is|are) no versions? of \S+",
        r"\S+ was not found in the (?:package registry|provided package locations)",
        r"\S+ has no (?:usable )?wheels[^,]*?(?= and | we |,|$)",
        r"because (?:you require|\S+ depends on) .+? and .+?(?=, we can|$)",
    )
)
_CAUSE = re.compile(r"^\s*(?:cause|caused by|\d+):\s*", re.IGNORECASE)
_UNREACHABLE = re.compile(
    r"ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH"
    r"|ERR_SOCKET_TIMEOUT|SELF_SIGNED_CERT|UNABLE_TO_\w*(?:CERT|ISSUER|SIGNATURE)|CERT_HAS_EXPIRED"
    r"|connection broken by|error sending request|tcp connect error|dns error"
    r"|invalid peer certificate|certificate verify failed|Failed to establish a new connection",
    re.IGNORECASE,
)
_NOT_FOUND = re.compile(
    r"\bE404\b|\bETARGET\b|no matching distribution found|no matching version found"
    r"|there (?:is|are) no versions? of|was not found in the",
    re.IGNORECASE,
)
_WITHOUT_WHEEL = re.compile(r"has no (?:usable )?wheels", re.IGNORECASE)


def failure_of_output(name: str, output: str) -> Failure:
    """Why the installer failed to fetch the package `name`."""
    if needed := required_python(output):
        current = _CLAUSES[0].search(_joined(output))
        return Failure(FailureKind.PYTHON_NEEDED, needed, current.group() if current else "")
    detail = _telling_part(output)
    if _UNREACHABLE.search(output):
        return Failure(FailureKind.REGISTRY_UNREACHABLE, name, detail)
    if _WITHOUT_WHEEL.search(output):
        detail = f"{detail}: it would have to be built, which runs its code"
    elif "(from versions: none)" in output:
        detail = f"{detail}: there is none, or none that need not be built"
        return Failure(FailureKind.PACKAGE_NOT_FOUND, name, detail)
    elif _NOT_FOUND.search(output):
        return Failure(FailureKind.PACKAGE_NOT_FOUND, name, detail)
    return Failure(FailureKind.FETCH_FAILED, name, detail)


def required_python(output: str) -> str:
    """The range of Python that the newest version of a package asks for; empty if that is not why
    it failed."""
    if "Python" not in output or not re.search(
        r"requires? a different python|current Python version", output, re.IGNORECASE
    ):
        return ""
    ranges = _REQUIRES_PYTHON.findall(_joined(output))
    return re.sub(r"\s", "", ranges[-1]).rstrip(",") if ranges else ""


def _telling_part(output: str) -> str:
    lines = [_unframed(line) for line in output.splitlines()]
    for clause in _CLAUSES:
        if found := next(filter(None, map(clause.search, (*lines, _joined(output)))), None):
            return _shown(found.group(1) if clause.groups else found.group())
    if causes := [line for line in output.splitlines() if _CAUSE.match(line)]:
        return _shown(_CAUSE.sub("", causes[-1]))
    return _shown(next(iter(_telling_lines(output.splitlines())), "it printed nothing"))


def _telling_lines(lines: Iterable[str]) -> Iterable[str]:
    """The lines without those that are advice, codes or a stack; errors first."""
    stripped = [(line, _unframed(line).strip()) for line in lines]
    kept = [(line, text) for line, text in stripped if not _NOT_TELLING.match(text)]
    errors = [text for line, text in kept if "error" in line.lower()]
    return errors or [text for _, text in kept]


def _joined(output: str) -> str:
    """As one line without the frames that uv and npm put around it: uv wraps its sentences."""
    return re.sub(r"\s+", " ", "\n".join(map(_unframed, output.splitlines())))


def _unframed(line: str) -> str:
    return _NPM_LABEL.sub("", _PREFIX.sub("", line))


def _shown(text: str) -> str:
    """Short, on one line, without the password of a registry."""
    text = re.sub(r"\s+", " ", _CREDENTIALS.sub("", text)).strip().rstrip(".;,")
    return text[:_MAX_DETAIL]
