"""Where a person can be in the main window, beside a workspace."""

from __future__ import annotations

from enum import StrEnum


class Place(StrEnum):
    WORKSPACE = "workspace"
    NEEDS_YOU = "needs_you"
    PLAYGROUND = "playground"
    APPS = "apps"
    ACTIVITY = "activity"


ICONS = {
    Place.NEEDS_YOU: "bell",
    Place.PLAYGROUND: "search",
    Place.APPS: "plug",
    Place.ACTIVITY: "activity",
}
