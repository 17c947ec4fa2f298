"""The pages of the main window, and their icons in the sidebar."""

from __future__ import annotations

from enum import StrEnum


class Page(StrEnum):
    WORKSPACE = "workspace"
    ATTENTION = "attention"
    PLAYGROUND = "playground"
    APPS = "apps"
    ACTIVITY = "activity"


ICONS = {
    Page.ATTENTION: "bell",
    Page.PLAYGROUND: "search",
    Page.APPS: "plug",
    Page.ACTIVITY: "activity",
}
