"""Workspaces and projects, and how their tools are exposed to clients."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from router.domain.ids import ProjectId, ServerId, WorkspaceId
from router.domain.tool_lists import ApprovalPolicy


class Optimization(StrEnum):
    """The search strategy of Context Optimization; `None` means off."""

    BM25 = "bm25"
    HYBRID = "hybrid"
    CLOUD = "cloud"


OFF = "off"
"""How the command line spells optimization `None`."""


class Exposure(StrEnum):
    SEARCH = "search"
    PROGRESSIVE = "progressive"


@dataclass(frozen=True, slots=True)
class WorkspaceSummary:
    id: WorkspaceId
    name: str
    server_count: int
    active: bool
    approval: ApprovalPolicy = ApprovalPolicy.ASK_ON_CHANGE


@dataclass(frozen=True, slots=True)
class ProjectSummary:
    """A project, or (with `id` None) the unassigned one, which is the whole workspace."""

    id: ProjectId | None
    name: str
    servers: tuple[ServerId, ...] | None
    optimization: Optimization | None
    exposure: Exposure
    offer_search: bool = False
    """With progressive exposure: whether clients get `tool_discovery` too."""
