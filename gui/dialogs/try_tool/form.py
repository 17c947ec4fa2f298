"""The arguments of a tool as fields."""

from __future__ import annotations

from collections.abc import Sequence

from gui.dialogs.try_tool.group_fields import MembersForm
from gui.dialogs.try_tool.schema import SchemaProperty, shape_of
from gui.widgets.labels import wrapped
from router.domain.tools import Parameter


class ArgumentsForm(MembersForm):
    """An empty field of an optional argument is not sent."""

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        super().__init__(tuple(map(_member, parameters)))
        if not parameters:
            self.column.addWidget(wrapped(self.tr("This tool takes no arguments.")))


def _member(parameter: Parameter) -> SchemaProperty:
    return SchemaProperty(
        parameter.name,
        parameter.type,
        parameter.required,
        parameter.description,
        shape_of(parameter.schema or {"type": parameter.type}),
    )
