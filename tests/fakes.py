"""Typed stand-ins for the ports, used before any mock."""

from __future__ import annotations
