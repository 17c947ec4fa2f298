"""The one bound of everything a test waits for.

It only decides how long a test that fails takes: on success every wait returns at once. So it is
generous enough for a machine that has other things to do.
"""

from __future__ import annotations

WAIT_S = 60
WAIT_MS = WAIT_S * 1000
