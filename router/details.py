"""What a server says and offers beside its tools, for people to look at."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class OfferView:
    """A prompt or a resource: `detail` are the prompt's arguments, or the resource's address."""

    name: str
    title: str
    description: str
    detail: str


@dataclass(frozen=True, slots=True)
class ServerOffers:
    prompts: tuple[OfferView, ...] = ()
    resources: tuple[OfferView, ...] = ()
    """Templates come last, with their pattern for an address."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line a server wrote beside its messages, without the secrets it was given."""

    at: datetime
    text: str
