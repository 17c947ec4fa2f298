"""Translates variables in other applications' files into ours. Pure.

In the environment and headers, whose references are resolved when a server starts, a variable
becomes a reference. Elsewhere (command, arguments, URL) it is replaced by its current value, if it
has one. What an application prompts for becomes a secret in the keyring.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from router.api.apps import FoundServer, Prompt
from router.config.server import ServerConfig
from router.domain.json_values import JsonObject, as_array, as_object

_BRACED = re.compile(
    r"\$\{(?:(?P<kind>env|input):)?(?P<name>[A-Za-z_][\w.-]*)(?::-(?P<default>[^}]*))?\}"
)
_BARE = re.compile(r"\$(?P<name>[A-Za-z_]\w*)")
_CURLY = re.compile(r"\{env:(?P<name>\w+)\}")
_HOME = frozenset({"userHome", "HOME"})


@dataclass(frozen=True, slots=True)
class Dialect:
    """An application's syntax for variables, and their values here."""

    environ: Mapping[str, str]
    home: str
    prompts: Mapping[str, Prompt]
    prefix: str
    """The prefix of the keyring names of its prompts."""
    bare: bool = False
    """Whether `$NAME` is a variable too, if that is set."""
    curly: bool = False
    """Whether `{env:NAME}` is a variable."""

    def with_references(self, text: str) -> str:
        """`text` with references that are resolved when a server starts."""
        return _BRACED.sub(self._reference, self._normalized(text))

    def with_values(self, text: str) -> str:
        """`text` with values, where they are known and not secret."""
        return _BRACED.sub(self._value, self._normalized(text))

    def used_prompts(self, texts: Iterable[str]) -> tuple[Prompt, ...]:
        names = {
            m["name"]: None for t in texts for m in _BRACED.finditer(t) if m["kind"] == "input"
        }
        return tuple(self.prompts.get(name) or Prompt(name, name, True) for name in names)

    def _normalized(self, text: str) -> str:
        """`text` with every variable in the syntax `${env:NAME}`."""
        if self.curly:
            text = _CURLY.sub(lambda m: f"${{env:{m['name']}}}", text)
        if self.bare:
            text = _BARE.sub(self._if_known, text)
        return text

    def _if_known(self, found: re.Match[str]) -> str:
        return f"${{env:{found['name']}}}" if found["name"] in self.environ else found[0]

    def _reference(self, found: re.Match[str]) -> str:
        name = found["name"]
        if found["kind"] == "input":
            return f"${{keyring:{input_secret(self.prefix, name)}}}"
        if name == "userHome":
            return self.home
        if found["default"] is not None and name not in self.environ:
            return found["default"]
        return f"${{env:{name}}}"

    def _value(self, found: re.Match[str]) -> str:
        name = found["name"]
        if found["kind"] == "input":
            prompt = self.prompts.get(name)
            return prompt.default if prompt and prompt.default and not prompt.secret else found[0]
        if name in _HOME:
            return self.home
        return self.environ.get(name, found[0] if found["default"] is None else found["default"])


def input_secret(prefix: str, name: str) -> str:
    """The keyring's name for the prompt `name` of the application `prefix`."""
    return f"input/{prefix}/{name}"


def with_answers(found: FoundServer, answers: Mapping[str, str]) -> ServerConfig:
    """Its configuration with the answers in plain text, except for secrets."""
    plain = {p.id: answers.get(p.id) or p.default for p in found.prompts if not p.secret}

    def fill(text: str) -> str:
        return _BRACED.sub(
            lambda m: plain.get(m["name"]) or m[0] if m["kind"] == "input" else m[0], text
        )

    config = found.config
    changes: JsonObject = {"args": tuple(fill(text) for text in config.args)}
    if config.url is not None:
        changes["url"] = fill(config.url)
    return config.model_copy(update=changes)


def read_prompts(content: Mapping[str, object]) -> dict[str, Prompt]:
    """VS Code's `inputs` by id."""
    entries = (as_object(entry) for entry in as_array(content.get("inputs")))
    return {str(e["id"]): _prompt(e) for e in entries if isinstance(e.get("id"), str)}


def _prompt(entry: Mapping[str, object]) -> Prompt:
    options = as_array(entry.get("options"))
    return Prompt(
        id=str(entry["id"]),
        description=str(entry.get("description") or entry["id"]),
        secret=entry.get("password") is True,
        default=str(entry.get("default") or ""),
        options=tuple(str(as_object(option).get("value", option)) for option in options),
    )
