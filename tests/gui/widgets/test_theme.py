"""The theme: its colors, icons in them, and a change while the window is open."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QStyleHints
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import gui
from gui.widgets import icons
from gui.widgets.buttons import IconButton
from gui.widgets.icons import TrayState
from gui.widgets.palette import DARK, LIGHT
from gui.widgets.theme import Theme
from tests.support.timeouts import WAIT_MS

ICONS = Path(gui.__path__[0]).parent / "resources" / "icons"


def strongest(image: QImage) -> QColor:
    """The color of the most opaque pixel."""
    places = ((x, y) for x in range(image.width()) for y in range(image.height()))
    return max((image.pixelColor(x, y) for x, y in places), key=lambda color: color.alpha())


def test_a_chosen_mode_overrides_the_system(app_theme: Theme, qtbot: QtBot) -> None:
    with qtbot.waitSignal(app_theme.changed, timeout=WAIT_MS):
        app_theme.set_mode("dark")

    assert app_theme.palette is DARK
    assert QApplication.palette().window().color() == DARK.color("window")

    app_theme.set_mode("light")
    assert app_theme.palette is LIGHT


def test_the_system_theme_is_followed_live(
    app_theme: Theme, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    hints = qapp.styleHints()
    scheme = Qt.ColorScheme.Light

    def system(_: QStyleHints) -> Qt.ColorScheme:
        return scheme

    monkeypatch.setattr(QStyleHints, "colorScheme", system)
    app_theme.set_mode("system")
    assert app_theme.palette is LIGHT

    scheme = Qt.ColorScheme.Dark
    hints.colorSchemeChanged.emit(scheme)

    assert app_theme.palette is DARK


def test_an_icon_takes_the_current_color(app_theme: Theme) -> None:
    copy = icons.icon("copy", "accent")
    light = strongest(copy.pixmap(QSize(32, 32)).toImage())

    app_theme.set_mode("dark")
    dark = strongest(copy.pixmap(QSize(32, 32)).toImage())

    assert light.name().upper() == LIGHT.hex("accent")
    assert dark.name().upper() == DARK.hex("accent")


def test_a_disabled_icon_is_pale_and_a_highlighted_menu_icon_is_not(app_theme: Theme) -> None:
    size = QSize(32, 32)
    disabled = icons.icon("copy").pixmap(size, QIcon.Mode.Disabled).toImage()
    active = icons.menu_icon("copy").pixmap(size, QIcon.Mode.Active).toImage()

    assert strongest(disabled).name().upper() == LIGHT.hex("off")
    assert strongest(active).name().upper() == LIGHT.hex("on_accent")


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 2.0])
def test_a_pixmap_has_as_many_pixels_as_the_screen(app_theme: Theme, scale: float) -> None:
    pixmap = icons.pixmap("plus", 16, LIGHT.color("text1"), scale)

    assert pixmap.width() == round(16 * scale)
    assert pixmap.devicePixelRatio() == scale


@pytest.mark.parametrize("state", TrayState)
def test_the_tray_has_a_picture_for_every_state(app_theme: Theme, state: TrayState) -> None:
    picture = icons.tray_icon(state)

    assert {16, 22, 32} <= {size.width() for size in picture.availableSizes()}
    assert strongest(picture.pixmap(QSize(22, 22)).toImage()).alpha() == 255


def test_the_pictures_of_the_tray_differ(app_theme: Theme) -> None:
    pictures = [icons.tray_icon(state).pixmap(QSize(22, 22)).toImage() for state in TrayState]

    assert all(one != other for one in pictures for other in pictures if one is not other)


def test_the_mac_gets_a_template_without_the_tile(
    app_theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    template = icons.tray_icon(TrayState.READY)

    assert template.isMask()
    assert template.pixmap(QSize(32, 32)).toImage().pixelColor(2, 16).alpha() == 0


def test_every_icon_named_in_the_code_exists() -> None:
    source = "\n".join(path.read_text() for path in Path(gui.__path__[0]).rglob("*.py"))
    named = re.findall(
        r'(?:[a-z_]*icon|IconButton|draw|url)\(\s*(?:painter, )?"([a-z0-9-]+)"', source
    )

    assert "copy" in named
    assert not [name for name in named if not (ICONS / f"{name}.svg").exists()]


def test_the_licence_of_the_icons_is_beside_them() -> None:
    assert "ISC License" in (ICONS / "LICENSE").read_text()


def test_an_icon_button_has_its_tooltip_as_accessible_name(app_theme: Theme, qtbot: QtBot) -> None:
    button = IconButton("plus", "New workspace")
    qtbot.addWidget(button)

    assert button.accessibleName() == "New workspace"
    assert button.toolTip() == "New workspace"
