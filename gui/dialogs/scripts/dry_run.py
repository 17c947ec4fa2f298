"""The result of a dry run as text."""

from __future__ import annotations

from gui.text.tr import tr
from router.domain.scripts import ScriptTrial


def trial_text(trial: ScriptTrial) -> str:
    """The calls in order, what was printed, and the result or the error."""
    called = tr("Called {tool} with {arguments}")
    skipped = tr("Not called: {tool} with {arguments}")
    lines = [
        (called if call.made else skipped).format(tool=call.key, arguments=call.arguments)
        for call in trial.calls
    ]
    if trial.printed:
        lines += [tr("Printed:"), trial.printed.rstrip()]
    if trial.problem is not None:
        return "\n".join([*lines, trial.problem])
    result = tr("no result") if trial.result is None else trial.result
    return "\n".join([*lines, tr("Result: {result}").format(result=result)])
