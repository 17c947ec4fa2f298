"""Composes the packages into a `Router`, which the window and the command line use."""

from router.service.router import Router as Router
