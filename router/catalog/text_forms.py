"""Whether a rule's pattern covers a text that may be written in many ways: a path or a URL is also
compared in normalised form, so that `/var/../etc/passwd` is not overlooked. Pure; what a path means
on this computer (`~`, symbolic links, relative paths) is asked for with `Located`.
"""

from __future__ import annotations

import posixpath
import re
import socket
import unicodedata
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from router.catalog.globs import glob

Located: TypeAlias = Callable[[str], Iterable[str]]
"""The other ways in which a path of a local server can be written; none for a remote server."""

_MAX_DECODED = 5
"""How often percent-encoding is undone at most."""

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(.*)", re.DOTALL)
_DRIVE = re.compile(r"/+([A-Za-z]:(?:/|$))")
_NUMERIC_HOST = re.compile(r"[0-9a-fx.]*[0-9][0-9a-fx.]*")
_UNSEEN_IN_URLS = re.compile(r"[\t\r\n]")
_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443, "ftp": 21}


def nowhere(path: str) -> Iterable[str]:
    """`Located` for a server that runs elsewhere."""
    return ()


def covers(pattern: str, text: str, *, certain: bool, located: Located = nowhere) -> bool:
    """Whether `pattern` covers `text` in any of its forms; if it must be `certain`, in all."""
    plain = glob(pattern, text)
    if plain is not certain:
        return plain
    if not pattern.strip("*"):
        return True
    addresses = _is_address(pattern) or _is_address(text)
    if certain:
        if not addresses:
            return True
        patterns = _pattern_forms(pattern, located)
        return all(any(glob(p, each) for p in patterns) for each in _forms(text, located))
    if not addresses:
        return any(glob(pattern, each) for each in located(text))
    patterns = {each.casefold() for each in _pattern_forms(pattern, located)}
    forms = {each.casefold() for each in _forms(text, located)}
    return any(glob(p, each) for p in patterns for each in forms)


def _is_address(text: str) -> bool:
    """Whether a text may be a path or a URL."""
    return text.lstrip().startswith(("~", ".")) or any(mark in text for mark in "/\\%:")


def _forms(text: str, located: Located) -> set[str]:
    decoded = _decoded(text)
    forms = {text, decoded, normalised(text), normalised(decoded)}
    return forms.union(*(located(each) for each in forms if _is_path(each)))


def _pattern_forms(pattern: str, located: Located) -> set[str]:
    """A pattern as written, and with the folder before its first `*` in its other forms."""
    folder, star, rest = pattern.replace("\\", "/").partition("*")
    head, slash, tail = folder.rpartition("/") if star else (folder, "", "")
    if folder and not slash and star:
        head, slash = ".", "/"
    if not head:
        return {pattern}
    heads = {head, normalised(head)}
    heads = heads.union(*(located(each) for each in heads if _is_path(each)))
    return {pattern, *(f"{each.removesuffix(slash)}{slash}{tail}{star}{rest}" for each in heads)}


def _is_path(text: str) -> bool:
    return _URL.fullmatch(text) is None


def _decoded(text: str) -> str:
    for _ in range(_MAX_DECODED):
        if "%" not in text or (plain := unquote(text)) == text:
            break
        text = plain
    return text


def normalised(text: str) -> str:
    """A path or URL without what does not change its meaning: `..`, `.`, repeated slashes, the case
    of scheme and host, a default port, a user name. A file URL becomes a path."""
    text = unicodedata.normalize("NFC", text.strip())
    if (url := _URL.fullmatch(text)) is None:
        return _normal_path(text)
    scheme, rest = url[1].lower(), _UNSEEN_IN_URLS.sub("", url[2]).replace("\\", "/")
    if scheme == "file":
        host, slash, path = rest[2:].partition("/") if rest.startswith("//") else ("", "", rest)
        local = host.lower() in ("", "localhost", "127.0.0.1", "[::1]")
        return _normal_path(f"{slash}{path}" if local else f"//{host}/{path}")
    if scheme in _PORTS:
        rest = "//" + rest.lstrip("/")
    if not rest.startswith("//"):
        return f"{scheme}:{rest}"
    try:
        parts = urlsplit(f"{scheme}:{rest}")
        port = parts.port
    except ValueError:
        return f"{scheme}:{rest}"
    host = _normal_host(parts.hostname or "")
    at_port = f":{port}" if port is not None and port != _PORTS.get(scheme) else ""
    path = _normal_path(f"/{parts.path.lstrip('/')}")
    query = f"?{parts.query}" if parts.query else ""
    return f"{scheme}://{host}{at_port}{path}{query}"


def _normal_host(host: str) -> str:
    host = unicodedata.normalize("NFKC", unquote(host)).lower().rstrip(".")
    if _NUMERIC_HOST.fullmatch(host):  # 127.1 and 0x7f000001 are 127.0.0.1
        with suppress(OSError):
            return socket.inet_ntoa(socket.inet_aton(host))
    return f"[{host}]" if ":" in host else host


def _normal_path(path: str) -> str:
    path = path.replace("\\", "/")
    if path.lower().startswith(("//?/", "//./")):
        path = path[4:]
    normal = posixpath.normpath(path) if path else ""
    if normal.startswith("//"):
        normal = normal[1:]
    if drive := _DRIVE.match(normal):
        normal = normal[drive.start(1) :]
    return f"{normal.removesuffix('/')}/" if path.endswith("/") else normal
