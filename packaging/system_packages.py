"""Finds missing system libraries and programs, and installs or names their packages.

    system_packages.py run      what the application needs: Qt's libraries, if there is a display
    system_packages.py test     what the tests need
    system_packages.py bundle   what goes into a bundle, and what builds it
    system_packages.py proof    what the proofs need besides

As root on Debian and its derivatives it installs the packages with apt-get; otherwise it prints the
command and exits with 2. Runs before anything is installed, so it uses only the standard library.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping

# What the loader must find for Qt's own libraries, and the Debian package that has it.
QT = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libbrotlidec.so.1": "libbrotli1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "libxkbcommon.so.0": "libxkbcommon0",
}
QT_ON_X11 = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
QT_ON_WAYLAND = {
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}
PYTHON_LIBRARY = {
    str(sysconfig.get_config_var("INSTSONAME")): "libpython{}.{}".format(*sys.version_info)
}
TEST_PROGRAMS = {
    "git": "git",
    "bwrap": "bubblewrap",
    "ps": "procps",
    # A desktop for the tests: a screen, D-Bus, an XEmbed tray and a tool to inspect windows.
    "Xvfb": "xvfb",
    "dbus-daemon": "dbus",
    "trayer": "trayer",
    "xwininfo": "x11-utils",
}
BUNDLE_PROGRAMS = {"objdump": "binutils"}
PROOF_PROGRAMS = {"strace": "strace", "faketime": "faketime", "cc": "build-essential"}
MODULES = {"ensurepip": "python3-venv"}


def main() -> None:
    parser = argparse.ArgumentParser(description="Find missing system packages.")
    parser.add_argument("purpose", choices=["run", "test", "bundle", "proof"])
    purpose: str = parser.parse_args().purpose
    if sys.platform != "linux" or not (missing := missing_packages(purpose)):
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        install(missing)
        missing = missing_packages(purpose)
    if missing:
        refuse(missing)


def missing_packages(purpose: str) -> dict[str, str]:
    """What was not found, with its Debian package."""
    libraries, programs = needs_of(purpose)
    return (
        absent(MODULES, has_module) | absent(libraries, has_library) | absent(programs, has_program)
    )


def needs_of(purpose: str) -> tuple[dict[str, str], dict[str, str]]:
    """The libraries and the programs, each with its Debian package."""
    if purpose == "test":
        return QT | QT_ON_X11, TEST_PROGRAMS
    if purpose == "proof":
        return {}, PROOF_PROGRAMS
    if purpose == "bundle":
        return QT | QT_ON_X11 | QT_ON_WAYLAND | PYTHON_LIBRARY, BUNDLE_PROGRAMS
    x11 = QT | QT_ON_X11 if os.environ.get("DISPLAY") else {}
    wayland = QT | QT_ON_WAYLAND if os.environ.get("WAYLAND_DISPLAY") else {}
    return x11 | wayland, {}


def absent(needs: Mapping[str, str], is_there: Callable[[str], bool]) -> dict[str, str]:
    return {name: package for name, package in needs.items() if not is_there(name)}


def has_library(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def has_program(name: str) -> bool:
    return shutil.which(name) is not None


def has_module(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def install(missing: Mapping[str, str]) -> None:
    packages = sorted(set(missing.values()))
    say(f"Missing system packages, installed now with apt-get: {' '.join(packages)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update"], apt_command(packages)):
        done = subprocess.run(
            [*command, "--quiet=2"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if done.returncode != 0:
            sys.stderr.write(done.stdout.decode(errors="replace"))


def refuse(missing: Mapping[str, str]) -> None:
    packages = sorted(set(missing.values()))
    if shutil.which("apt-get"):
        say("System packages are missing. Install them and try again:")
        say(f"  sudo apt-get update && sudo {' '.join(apt_command(packages))}")
    else:
        say(f"Missing on this system: {', '.join(missing)}.")
        say(f"Install them and try again. Debian's packages for them: {' '.join(packages)}")
    sys.exit(2)


def apt_command(packages: list[str]) -> list[str]:
    return ["apt-get", "install", "--yes", "--no-install-recommends", *packages]


def say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
