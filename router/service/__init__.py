"""The router put together: `Router` composes the rooms and is what window and CLI talk to."""

from router.service.router import Router as Router
