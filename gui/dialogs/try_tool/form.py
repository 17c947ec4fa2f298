"""The arguments of a tool as fields, and back: what was typed becomes what the tool takes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from gui.dialogs.try_tool.group_fields import MembersForm
from gui.dialogs.try_tool.schema import Member, shape_of
from gui.widgets.labels import wrapped
from gui.widgets.layouts import NO_MARGINS, vbox
from router.domain.json_values import JsonObject
from router.domain.tools import Parameter


class ArgumentsForm(QWidget):
    """An empty field of an optional argument is not sent."""

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        super().__init__()
        self._members = MembersForm(tuple(map(_member, parameters)))
        column = vbox(self._members, margins=NO_MARGINS, parent=self)
        if not parameters:
            column.addWidget(wrapped(self.tr("This tool takes no arguments.")))

    def arguments(self) -> JsonObject:
        """Raises InvalidInput with the first thing that is wrong."""
        return self._members.values()


def _member(parameter: Parameter) -> Member:
    return Member(
        parameter.name,
        parameter.type,
        parameter.required,
        parameter.description,
        shape_of(parameter.schema or {"type": parameter.type}),
    )
