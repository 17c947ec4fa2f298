"""The controls: what they do by mouse and keyboard, and what they report to a screen reader."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QFontMetrics, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gui.text.marks import Mark, Tone
from gui.widgets.buttons import CopyButton, Segmented, Toggle
from gui.widgets.labels import ElidedLabel, Pill, Tile
from gui.widgets.search_field import SearchField
from gui.widgets.status_mark import StatusMark
from gui.widgets.tab_strip import TabStrip

CHOICES = (("a", "First"), ("b", "Second"), ("c", "Third"))


@pytest.fixture
def segmented(qtbot: QtBot) -> Segmented:
    segmented = Segmented("Choice", CHOICES)
    qtbot.addWidget(segmented)
    segmented.show()
    return segmented


def segment(segmented: Segmented, text: str) -> QPushButton:
    return next(b for b in segmented.findChildren(QPushButton) if b.text() == text)


def test_space_switches_a_toggle(qtbot: QtBot) -> None:
    toggle = Toggle("Context Optimization")
    qtbot.addWidget(toggle)

    QTest.keyClick(toggle, Qt.Key.Key_Space)

    assert toggle.isChecked()
    assert (toggle.width(), toggle.height()) == (34, 20)


def test_a_toggle_is_a_named_check_box_to_a_screen_reader(qtbot: QtBot) -> None:
    toggle = Toggle("Context Optimization")
    qtbot.addWidget(toggle)

    encode_arguments = QAccessible.queryAccessibleInterface(toggle)

    assert encode_arguments.role() == QAccessible.Role.CheckBox
    assert encode_arguments.text(QAccessible.Text.Name) == "Context Optimization"


def test_a_click_chooses_a_segment_and_emits_once(segmented: Segmented, qtbot: QtBot) -> None:
    emitted: list[str] = []
    segmented.changed.connect(emitted.append)
    segmented.set_current("a")

    QTest.mouseClick(segment(segmented, "Second"), Qt.MouseButton.LeftButton)
    QTest.mouseClick(segment(segmented, "Second"), Qt.MouseButton.LeftButton)

    assert emitted == ["b"]
    assert segmented.current() == "b"
    assert segmented.height() == 30


def test_setting_a_choice_emits_nothing(segmented: Segmented) -> None:
    emitted: list[str] = []
    segmented.changed.connect(emitted.append)

    segmented.set_current("c")
    segmented.set_current(None)

    assert emitted == []
    assert not any(button.isChecked() for button in segmented.findChildren(QPushButton))


def test_arrow_keys_choose_and_skip_disabled_segments(segmented: Segmented, qtbot: QtBot) -> None:
    emitted: list[str] = []
    segmented.changed.connect(emitted.append)
    segmented.set_current("a")
    segment(segmented, "Second").setEnabled(False)
    first = segment(segmented, "First")
    first.setFocus(Qt.FocusReason.TabFocusReason)

    QTest.keyClick(first, Qt.Key.Key_Right)

    assert emitted == ["c"]
    assert segment(segmented, "Third").isChecked()


def test_a_copy_button_copies_the_text_current_at_the_click(qtbot: QtBot) -> None:
    texts = ["old"]
    button = CopyButton("Copy", lambda: texts[-1])
    qtbot.addWidget(button)
    texts.append("new")

    QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    assert QGuiApplication.clipboard().text() == "new"


def test_a_search_field_has_a_name_and_a_clear_button_only_with_text(qtbot: QtBot) -> None:
    field = SearchField("Filter servers")
    qtbot.addWidget(field)
    (clear,) = field.actions()
    assert not clear.isVisible()

    QTest.keyClicks(field, "git")
    assert clear.isVisible()
    clear.trigger()

    assert field.text() == ""
    assert field.accessibleName() == "Filter servers"
    assert field.height() == 32


def test_an_elided_text_is_complete_in_tooltip_and_accessible_name(qtbot: QtBot) -> None:
    label = ElidedLabel("a text that has no room at all")
    cut = ElidedLabel(QFontMetrics(label.font()).elidedText(label.text(), label.elide, 60))
    for each in (label, cut):
        qtbot.addWidget(each)
        each.resize(60, 20)
        each.show()

    assert cut.text().endswith("…")
    assert label.grab().toImage() == cut.grab().toImage()
    assert label.toolTip() == label.text() == "a text that has no room at all"

    label.resize(600, 20)
    assert label.toolTip() == ""


@pytest.mark.parametrize("count", [None, 7, 12_345])
def test_tabs_shrink_instead_of_leaving_the_window(qtbot: QtBot, count: int | None) -> None:
    """Independent of the font: relative to the size hints of the tabs."""
    strip = TabStrip("Parts", ("Tools", "Resources", "Configuration and more of it"))
    qtbot.addWidget(strip)
    for tab in range(strip.count()):
        strip.set_count(tab, count)
    strip.show()
    wanted = strip.sizeHint().width()
    for width in (wanted, wanted - 30, strip.minimumSizeHint().width()):
        strip.resize(width, strip.height())
        rects = [strip.tabRect(tab) for tab in range(strip.count())]
        assert rects[-1].right() < width
        assert all(a.right() < b.left() for a, b in pairwise(rects))
    assert strip.minimumSizeHint().width() < wanted - 30


def test_a_pill_takes_its_tone_from_the_last_text(qtbot: QtBot) -> None:
    pill = Pill("Live", Tone.OK)
    qtbot.addWidget(pill)

    pill.show_as("Paused", Tone.WARN)

    assert (pill.text(), pill.property("tone")) == ("Paused", "warn")


@pytest.mark.parametrize("mark", Mark)
def test_every_mark_and_tile_can_be_painted(qtbot: QtBot, mark: Mark) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    column = QVBoxLayout(holder)
    shape = StatusMark()
    shape.set_mark(mark)
    for widget in (shape, Tile("日本"), Tile("")):
        column.addWidget(widget)

    assert not holder.grab().isNull()
