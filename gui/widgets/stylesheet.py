"""The one style sheet, generated from the colours.

Widgets say what they are by the dynamic property `role` (and pills by `tone`); only the sheet says
what that looks like. Fonts are set by the widgets, never here: a font in a style sheet loses its
tabular figures.
"""

from __future__ import annotations

from pathlib import Path

from gui.widgets.palette import Palette
from resources import read_text

# Delegates paint the selection themselves.
_LISTS = """
    QAbstractItemView { background: transparent; border: none; outline: none; }
    QTableView { selection-background-color: transparent; }
    QHeaderView { background: transparent; border: none; }
"""
_TONES = ("ok", "warn", "err", "savings")


def stylesheet(p: Palette, image_dir: Path) -> str:
    """The sheet for `p`. Tinted pictures of small controls are written into `image_dir`."""
    images = _ControlImages(image_dir)
    return "\n".join(
        (
            _surfaces(p),
            _buttons(p),
            _fields(p, images),
            _choices(p, images),
            _pills(p),
            _sidebar(p),
            _LISTS,
            _menus(p, images),
        )
    )


class _ControlImages:
    """Icons as files, because a style sheet knows pictures only by path."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def url(self, name: str, color: str) -> str:
        path = self._folder / f"{name}-{color.lstrip('#')}.svg"
        if not path.exists():
            svg = read_text("icons", f"{name}.svg").replace("currentColor", color)
            path.write_text(svg, encoding="utf-8")
        return f'url("{path.as_posix()}")'


def _surfaces(p: Palette) -> str:
    return f"""
    QWidget {{ color: {p.text1}; }}
    QMainWindow, QDialog {{ background: {p.window}; }}
    QLabel#qt_msgbox_label {{ font-weight: 600; }}
    QLabel#qt_msgbox_informativelabel {{ min-width: 320px; }}
    QToolTip {{ background: {p.surface}; color: {p.text1}; border: 1px solid {p.strong};
        padding: 6px 8px; }}
    QFrame[role="card"] {{ background: {p.surface}; border: 1px solid {p.border};
        border-radius: 10px; }}
    QFrame[role="hline"] {{ background: {p.border}; border: none; max-height: 1px;
        min-height: 1px; }}
    QFrame[role="vline"] {{ background: {p.border}; border: none; max-width: 1px;
        min-width: 1px; }}
    QFrame[role="banner-warn"] {{ background: {p.warn_soft};
        border: 1px solid {_mixed(p.warn, p.warn_soft, 0.65)};
        border-radius: 8px; }}
    QFrame[role="banner-err"] {{ background: {p.err_soft};
        border: 1px solid {_mixed(p.err, p.err_soft, 0.65)};
        border-radius: 8px; }}
    QFrame[role="group"] {{ border: none; border-left: 2px solid {p.border}; }}
    QFrame[role="undo"] {{ background: {p.text1}; border: none; border-radius: 8px; }}
    QFrame[role="undo"] QLabel {{ color: {p.surface}; }}
    QLabel {{ background: transparent; }}
    QLabel[tint="text2"] {{ color: {p.text2}; }}
    QLabel[tint="text3"] {{ color: {p.text3}; }}
    QLabel[tint="ok"] {{ color: {p.ok}; }}
    QLabel[tint="warn"] {{ color: {p.warn}; }}
    QLabel[tint="err"] {{ color: {p.err}; }}
    QLabel[tint="accent"] {{ color: {p.accent}; }}
    QLabel[tint="savings"] {{ color: {p.savings}; }}
    QSplitter::handle {{ background: transparent; }}
    QScrollArea {{ background: transparent; border: none; }}
    QScrollArea > QWidget > QWidget[role="page"] {{ background: transparent; }}
    QScrollBar:vertical {{ background: transparent; width: 10px; margin: 2px 2px 2px 2px; }}
    QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 2px 2px 2px 2px; }}
    QScrollBar::handle {{ background: {p.strong}; border-radius: 3px; }}
    QScrollBar::handle:vertical {{ min-height: 28px; }}
    QScrollBar::handle:horizontal {{ min-width: 28px; }}
    QScrollBar::handle:hover {{ background: {p.off}; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
    """


def _buttons(p: Palette) -> str:
    return f"""
    QPushButton {{ background: {p.surface}; color: {p.text1}; border: 1px solid {p.strong};
        border-radius: 6px; padding: 0 13px; min-height: 30px; outline: none; }}
    QPushButton:hover {{ background: {p.hover}; border-color: {p.field}; }}
    QPushButton:pressed {{ background: {p.track}; }}
    QPushButton:focus {{ border: 2px solid {p.accent}; padding: 0 12px; min-height: 28px; }}
    QPushButton:disabled {{ color: {p.off}; border-color: {p.border}; }}
    QPushButton[role="primary"] {{ background: {p.accent}; color: {p.on_accent};
        border: 1px solid {p.accent}; }}
    QPushButton[role="primary"]:hover {{ background: {_mixed(p.accent, p.text1, 0.12)};
        border-color: {_mixed(p.accent, p.text1, 0.12)}; }}
    QPushButton[role="primary"]:pressed {{ background: {_mixed(p.accent, p.text1, 0.22)}; }}
    QPushButton[role="primary"]:focus {{ border: 2px solid {p.text1}; }}
    QPushButton[role="primary"]:disabled {{ background: {p.track}; color: {p.off};
        border-color: {p.track}; }}
    QPushButton[role="small"] {{ min-height: 26px; padding: 0 11px; }}
    QPushButton[role="small"]:focus {{ min-height: 24px; padding: 0 10px; }}
    QPushButton[role="link"] {{ background: transparent; border: 1px solid transparent;
        color: {p.accent}; padding: 0 8px; }}
    QPushButton[role="link"]:hover {{ background: {p.accent_soft}; }}
    QPushButton[role="link"]:focus {{ border: 2px solid {p.accent}; padding: 0 7px; }}
    QPushButton[role="link"][flush="true"], QPushButton[role="link"][flush="true"]:focus {{
        border-left: none; border-right: none; padding: 0; }}
    QPushButton[role="undo"] {{ background: transparent; border: 1px solid transparent;
        color: {p.accent_soft}; padding: 0 8px; min-height: 24px; }}
    QPushButton[role="undo"]:hover {{ background: {p.text2}; }}
    QPushButton[role="undo"]:focus {{ border: 2px solid {p.accent_soft}; padding: 0 7px;
        min-height: 22px; }}
    QToolButton[role="icon"] {{ background: transparent; border: 1px solid transparent;
        border-radius: 6px; }}
    QToolButton[role="icon"]:hover {{ background: {p.track}; }}
    QToolButton[role="icon"]:pressed {{ background: {p.strong}; }}
    QToolButton[role="icon"]:checked {{ background: {p.accent_soft}; }}
    QToolButton[role="icon"]:focus {{ border: 2px solid {p.accent}; }}
    QToolButton[role="icon-bordered"] {{ background: {p.surface}; border: 1px solid {p.strong};
        border-radius: 6px; }}
    QToolButton[role="icon-bordered"]:hover {{ background: {p.hover}; border-color: {p.field}; }}
    QToolButton[role="icon-bordered"]:pressed {{ background: {p.track}; }}
    QToolButton[role="icon-bordered"]:focus {{ border: 2px solid {p.accent}; }}
    QToolButton::menu-indicator {{ image: none; }}
    """


def _fields(p: Palette, images: _ControlImages) -> str:
    chevron = images.url("chevron-down", p.text2)
    return f"""
    QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QComboBox {{ background: {p.surface};
        color: {p.text1}; border: 1px solid {p.field}; border-radius: 6px;
        selection-background-color: {p.accent}; selection-color: {p.on_accent}; }}
    QLineEdit, QSpinBox, QComboBox {{ min-height: 30px; padding: 0 9px; }}
    QPlainTextEdit, QTextEdit {{ padding: 5px 7px; }}
    QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QSpinBox:focus, QComboBox:focus {{
        border: 2px solid {p.accent}; }}
    QLineEdit:focus, QSpinBox:focus, QComboBox:focus {{ min-height: 28px; padding: 0 8px; }}
    QPlainTextEdit:focus, QTextEdit:focus {{ padding: 4px 6px; }}
    QLineEdit:disabled, QPlainTextEdit:disabled, QSpinBox:disabled, QComboBox:disabled {{
        color: {p.off}; background: {p.window}; border-color: {p.strong}; }}
    QPlainTextEdit[role="plain"] {{ border: 2px solid transparent; }}
    QPlainTextEdit[role="plain"]:focus {{ border-color: {p.accent}; }}
    QLineEdit[role="search"] {{ padding-left: 29px; }}
    QLineEdit[role="search"]:focus {{ padding-left: 28px; }}
    QLineEdit QToolButton {{ background: transparent; border: none; }}
    QListWidget {{ background: transparent; border: 2px solid transparent; border-radius: 8px;
        outline: none; }}
    QListWidget:focus {{ border: 2px solid {p.accent}; }}
    QListWidget::item {{ color: {p.text2}; border-radius: 6px; padding: 7px 8px; margin: 1px 0; }}
    QListWidget::item:selected {{ background: {p.accent_soft}; color: {p.text1}; }}
    QComboBox::drop-down {{ border: none; width: 26px; }}
    QComboBox::down-arrow {{ image: {chevron}; width: 14px; height: 14px; }}
    QComboBox QAbstractItemView {{ background: {p.surface}; border: 1px solid {p.strong};
        selection-background-color: {p.accent_soft}; selection-color: {p.text1}; outline: none; }}
    QSpinBox::up-button, QSpinBox::down-button {{ border: none; width: 22px; }}
    QSpinBox::up-arrow {{ image: {images.url("chevron-up", p.text2)}; width: 12px; height: 12px; }}
    QSpinBox::down-arrow {{ image: {chevron}; width: 12px; height: 12px; }}
    """


def _choices(p: Palette, images: _ControlImages) -> str:
    return f"""
    QCheckBox, QRadioButton {{ spacing: 8px; background: transparent; }}
    QCheckBox:disabled, QRadioButton:disabled {{ color: {p.off}; }}
    QCheckBox::indicator {{ width: 14px; height: 14px; border: 1px solid {p.field};
        border-radius: 4px; background: {p.surface}; }}
    QCheckBox::indicator:checked {{ background: {p.accent}; border-color: {p.accent};
        image: {images.url("check", p.on_accent)}; }}
    QCheckBox::indicator:focus {{ border: 2px solid {p.accent}; width: 12px; height: 12px; }}
    QCheckBox::indicator:checked:focus {{ border-color: {p.text1}; }}
    QRadioButton::indicator {{ width: 14px; height: 14px; border: 1px solid {p.field};
        border-radius: 8px; background: {p.surface}; }}
    QRadioButton::indicator:checked {{ border: 5px solid {p.accent}; width: 6px; height: 6px; }}
    QRadioButton::indicator:focus {{ border-color: {p.accent}; }}
    QFrame[role="segments"] {{ background: {p.segment_track}; border: none; border-radius: 8px; }}
    QPushButton[role="segment"] {{ background: transparent; color: {p.text2};
        border: 1px solid transparent; border-radius: 6px; padding: 0 14px; min-height: 22px; }}
    QPushButton[role="segment"]:hover {{ color: {p.text1}; }}
    QPushButton[role="segment"]:checked {{ background: {p.segment_on}; color: {p.text1};
        border-color: {p.strong}; }}
    QPushButton[role="segment"]:disabled {{ color: {p.off}; background: transparent; }}
    QPushButton[role="segment"]:focus {{ border: 2px solid {p.accent}; padding: 0 13px;
        min-height: 20px; }}
    """


def _pills(p: Palette) -> str:
    tones = "\n".join(
        f'QLabel[role="pill"][tone="{tone}"] {{ background: {getattr(p, f"{tone}_soft")};'
        f" color: {getattr(p, tone)}; }}"
        for tone in _TONES
    )
    return f"""
    QLabel[role="pill"] {{ border-radius: 5px; padding: 0 9px; min-height: 18px;
        max-height: 18px; }}
    QLabel[role="pill"][tone="neutral"] {{ background: {p.neutral_soft}; color: {p.text2}; }}
    QLabel[role="pill"][tone="accent"] {{ background: {p.accent_soft}; color: {p.accent}; }}
    QLabel[role="pill"][tone="solid"] {{ background: {p.accent}; color: {p.on_accent}; }}
    {tones}
    """


def _sidebar(p: Palette) -> str:
    return f"""
    QWidget[role="sidebar"] {{ background: {p.sidebar}; }}
    QFrame[role="sidebar-edge"] {{ background: {p.border}; border: none; min-width: 1px;
        max-width: 1px; }}
    """


def _menus(p: Palette, images: _ControlImages) -> str:
    return f"""
    QMenuBar {{ background: {p.sidebar}; border-bottom: 1px solid {p.border}; padding: 2px 8px; }}
    QMenuBar::item {{ background: transparent; padding: 4px 8px; border-radius: 5px; }}
    QMenuBar::item:selected {{ background: {p.track}; }}
    QMenu {{ background: {p.surface}; border: 1px solid {p.strong}; padding: 5px; }}
    QMenu::item {{ color: {p.text1}; padding: 6px 18px 6px 10px; border-radius: 5px; }}
    QMenu::item:selected {{ background: {p.accent}; color: {p.on_accent}; }}
    QMenu::item:disabled {{ color: {p.text3}; background: transparent; }}
    QMenu::separator {{ height: 1px; background: {p.border}; margin: 5px 4px; }}
    QMenu::icon {{ padding-left: 8px; }}
    QMenu::indicator {{ width: 16px; height: 16px; padding-left: 8px; }}
    QMenu::indicator:checked {{ image: {images.url("check", p.accent)}; }}
    QMenu::indicator:checked:selected {{ image: {images.url("check", p.on_accent)}; }}
    QMenu::right-arrow {{ image: {images.url("chevron-right", p.text2)}; width: 14px;
        height: 14px; }}
    """


def _mixed(color: str, other: str, share: float) -> str:
    """`color` with `share` of `other` in it."""
    pairs = zip(_channels(color), _channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02X}" for a, b in pairs)


def _channels(color: str) -> tuple[int, int, int]:
    value = int(color.lstrip("#"), 16)
    return value >> 16, value >> 8 & 255, value & 255
