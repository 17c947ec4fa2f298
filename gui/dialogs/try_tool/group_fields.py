"""Fields made of fields: the arguments of a tool, an object with its members, a list that grows,
one of several shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QWidget

from gui.dialogs.try_tool.fields import (
    NOTHING,
    SIMPLE,
    ChoiceField,
    Nothing,
    SimpleField,
    simple_field,
)
from gui.dialogs.try_tool.schema import SchemaProperty, Shape, ShapeKind, shape_of
from gui.text.tr import tr
from gui.widgets import fonts
from gui.widgets.buttons import IconButton, link_button
from gui.widgets.labels import label, wrapped
from gui.widgets.layouts import NO_MARGINS, STRETCH, Margins, clear, hbox, row_widget, vbox
from router.domain.json_values import JsonObject
from router.domain.tools import Parameter

_INDENT = 12


class MembersForm(QFrame):
    """A caption and a field for each member; `path` is what they belong to."""

    def __init__(
        self,
        members: tuple[SchemaProperty, ...],
        path: str = "",
        margins: Margins = NO_MARGINS,
    ) -> None:
        super().__init__()
        self.column = vbox(spacing=4, margins=margins, parent=self)
        self._fields: list[tuple[SchemaProperty, FieldWidget]] = []
        for member in members:
            field = field_for(f"{path}{member.name}", member.shape)
            field.setAccessibleDescription(member.description)
            self._fields.append((member, field))
            self.column.addLayout(_caption(member))
            if member.description:
                self.column.addWidget(wrapped(member.description, "text3"))
            self.column.addWidget(field)
            self.column.addSpacing(8)

    def values(self) -> JsonObject:
        """What was filled in; raises InvalidInput with the first thing that is wrong."""
        found = {member.name: field.value(member.required) for member, field in self._fields}
        return {name: value for name, value in found.items() if not isinstance(value, Nothing)}

    def is_empty(self) -> bool:
        return all(isinstance(field.value(False), Nothing) for _, field in self._fields)


class ArgumentsForm(MembersForm):
    """An empty field of an optional argument is not sent."""

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        super().__init__(tuple(map(_member, parameters)))
        if not parameters:
            self.column.addWidget(wrapped(self.tr("This tool takes no arguments.")))


class ObjectField(MembersForm):
    """Its members, indented; an optional object without values is left out."""

    def __init__(self, name: str, shape: Shape) -> None:
        super().__init__(shape.members, f"{name}.", margins=(_INDENT, 6, 0, 0))
        self.setProperty("role", "group")
        self.setAccessibleName(name)

    def value(self, required: bool) -> object:
        return self.values() if required or not self.is_empty() else NOTHING


class ListField(QFrame):
    """A list of values that can be added and removed."""

    def __init__(self, name: str, shape: Shape) -> None:
        super().__init__()
        self.setProperty("role", "group")
        self.setAccessibleName(name)
        self._name, self._item = name, shape.item or Shape(ShapeKind.JSON)
        self._rows: list[tuple[QWidget, FieldWidget]] = []
        self._lines = vbox(spacing=6)
        add = link_button(self.tr("Add value"), flush=True, on_click=self.add)
        add.setAccessibleName(self.tr("Add value to {name}").format(name=name))
        foot = hbox(add, STRETCH, margins=NO_MARGINS)
        vbox(self._lines, foot, spacing=4, margins=(_INDENT, 4, 0, 0), parent=self)

    def add(self) -> None:
        name = f"{self._name}[{len(self._rows)}]"
        field = field_for(name, self._item)
        remove = IconButton("x", self.tr("Remove {name}").format(name=name), icon_size=16)
        row = row_widget((field, 1), (remove, 0, Qt.AlignmentFlag.AlignTop), spacing=6)
        self._rows.append((row, field))
        self._lines.addWidget(row)
        row.show()  # At once, so that it can take the keyboard.
        remove.clicked.connect(lambda: self._remove(row))
        _first(field).setFocus(Qt.FocusReason.TabFocusReason)

    def value(self, required: bool) -> object:
        found = [field.value(False) for _, field in self._rows]
        values = [value for value in found if not isinstance(value, Nothing)]
        return values if values or required else NOTHING

    def _remove(self, row: QWidget) -> None:
        self._rows = [each for each in self._rows if each[0] is not row]
        self._lines.removeWidget(row)
        row.hide()
        row.deleteLater()


class OneOfField(QFrame):
    """A choice between several shapes, and a field of the chosen one."""

    def __init__(self, name: str, shape: Shape) -> None:
        super().__init__()
        self._name, self._shape = name, shape
        self._which = ChoiceField(name, Shape(ShapeKind.CHOICE, choices=_titles(shape)))
        self._which.currentIndexChanged.connect(self._choose)
        self._place = vbox(margins=NO_MARGINS)
        self._field: FieldWidget | None = None
        vbox(self._which, self._place, spacing=4, margins=NO_MARGINS, parent=self)

    def choice(self) -> QComboBox:
        return self._which

    def value(self, required: bool) -> object:
        if self._field is None:
            return self._which.value(required)
        return self._field.value(True)

    def _choose(self, index: int) -> None:
        clear(self._place)
        self._field = None
        if index > 0:
            self._field = field_for(self._name, self._shape.options[index - 1][1])
            self._place.addWidget(self._field)


FieldWidget: TypeAlias = SimpleField | ObjectField | ListField | OneOfField


def field_for(name: str, shape: Shape) -> FieldWidget:
    match shape.kind:
        case ShapeKind.OBJECT:
            return ObjectField(name, shape)
        case ShapeKind.ARRAY:
            return ListField(name, shape)
        case ShapeKind.ONE_OF:
            return OneOfField(name, shape)
        case _:
            return simple_field(name, shape)


def _first(field: FieldWidget) -> QWidget:
    """The field that gets the focus."""
    inner = (each for each in field.findChildren(QWidget) if isinstance(each, SIMPLE))
    return field if isinstance(field, SIMPLE) else next(inner, field)


def _titles(shape: Shape) -> tuple[str, ...]:
    """Each with a number where two would read the same."""
    titles = [title for title, _ in shape.options]
    return tuple(
        title if titles.count(title) == 1 else f"{title} ({number})"
        for number, title in enumerate(titles, 1)
    )


def _member(parameter: Parameter) -> SchemaProperty:
    return SchemaProperty(
        parameter.name,
        parameter.type,
        parameter.required,
        parameter.description,
        shape_of(parameter.schema or {"type": parameter.type}),
    )


def _caption(member: SchemaProperty) -> QHBoxLayout:
    required = label(tr("required"), font=fonts.semibold(fonts.LABEL), tint="warn")
    return hbox(
        label(member.name, font=fonts.mono_font()),
        label(member.type, font=fonts.mono_font(), tint="text3"),
        required if member.required else None,
        STRETCH,
        spacing=8,
    )
