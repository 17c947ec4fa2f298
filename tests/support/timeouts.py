"""The timeout of everything a test waits for.

It only decides how long a failing test takes: on success every wait returns at once. So it is
generous enough for a busy machine.
"""

from __future__ import annotations

WAIT_S = 60
WAIT_MS = WAIT_S * 1000
