"""Ends what a test run has left behind: `python leftover_killer.py MARK`, with a pipe as stdin.

Waits until the run's process has ended, however it ended, which closes the pipe. Then it kills
every process whose environment has the mark: one that holds the run's output open would keep
`make test | tee log` from ending.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

import psutil

VARIABLE = "TOOLBOOTH_TEST_RUN"


def main() -> None:
    sys.stdin.read()
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get(VARIABLE) == sys.argv[1] and process.pid != os.getpid():
                process.kill()


if __name__ == "__main__":
    main()
