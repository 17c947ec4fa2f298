"""What came of a dry run, in words."""

from __future__ import annotations

from gui.text.tr import tr
from router.domain.scripts import ScriptTrial

NEW_SCRIPT = """\
---What the script does: models choose it by this.
---@param path string What it is given, as arguments.path
local listing = files.list_directory{path = arguments.path}:await()
result(listing)
"""


def trial_text(trial: ScriptTrial) -> str:
    """The calls in order, what was printed, and how it ended."""
    made, spared = tr("Called {tool} with {arguments}"), tr("Not called: {tool} with {arguments}")
    lines = [
        (made if call.made else spared).format(tool=call.key, arguments=call.arguments)
        for call in trial.calls
    ]
    if trial.printed:
        lines += [tr("Printed:"), trial.printed.rstrip()]
    if trial.problem is not None:
        return "\n".join([*lines, trial.problem])
    result = tr("no result") if trial.result is None else trial.result
    return "\n".join([*lines, tr("Result: {result}").format(result=result)])
