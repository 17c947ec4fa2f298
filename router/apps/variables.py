"""Variables in other applications' files, in terms of ours. Pure.

Where we resolve references when a server starts (its environment, its headers) a variable becomes
one. Elsewhere (command, arguments, address) it is replaced by its value now, as far as it has one.
What an application asks its person for becomes a secret of the keyring.
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
    """How one application writes variables, and what they are worth here."""

    environ: Mapping[str, str]
    home: str
    prompts: Mapping[str, Prompt]
    prefix: str
    """Of the keyring names its prompts get."""
    bare: bool = False
    """`$NAME` is a variable too, if there is one of that name."""
    curly: bool = False
    """`{env:NAME}` is one."""

    def referring(self, text: str) -> str:
        """`text` with references that are resolved when a server starts."""
        return _BRACED.sub(self._reference, self._spelled_out(text))

    def settled(self, text: str) -> str:
        """`text` with values, where they are known and no secrets."""
        return _BRACED.sub(self._value, self._spelled_out(text))

    def used_prompts(self, texts: Iterable[str]) -> tuple[Prompt, ...]:
        names = {
            m["name"]: None for t in texts for m in _BRACED.finditer(t) if m["kind"] == "input"
        }
        return tuple(self.prompts.get(name) or Prompt(name, name, True) for name in names)

    def _spelled_out(self, text: str) -> str:
        """Every spelling of a variable in the one with `${env:`."""
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
            return input_reference(self.prefix, name)
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


def input_reference(prefix: str, name: str) -> str:
    return f"${{keyring:{input_secret(prefix, name)}}}"


def input_secret(prefix: str, name: str) -> str:
    """The keyring's name for what the application at `prefix` asks for as `name`."""
    return f"input/{prefix}/{name}"


def answered(found: FoundServer, answers: Mapping[str, str]) -> ServerConfig:
    """Its configuration with the answers where they stand as plain text: never a secret's."""
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


def prompts_of(content: Mapping[str, object]) -> dict[str, Prompt]:
    """VS Code's `inputs`: what it asks for, by id."""
    entries = (as_object(entry) for entry in as_array(content.get("inputs")))
    return {str(e["id"]): _prompt(e) for e in entries if isinstance(e.get("id"), str)}


def _prompt(entry: Mapping[str, object]) -> Prompt:
    options = [_option(option) for option in as_array(entry.get("options"))]
    return Prompt(
        id=str(entry["id"]),
        description=str(entry.get("description") or entry["id"]),
        secret=entry.get("password") is True,
        default=str(entry.get("default") or ""),
        options=tuple(options),
    )


def _option(option: object) -> str:
    return str(as_object(option).get("value", option))
