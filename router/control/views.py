"""The JSON that `toolbooth … --json` prints: our values in camelCase, times in ISO form."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from pydantic.alias_generators import to_camel

from router.domain.activity import ActivityEntry
from router.domain.clients import TokenSummary
from router.domain.endpoint import ListenerState
from router.domain.failure_text import advise, explain, protection_words
from router.domain.json_values import JsonObject
from router.domain.permissions import PermissionRequest
from router.domain.receipts import Protection, Receipt
from router.domain.search import SearchHit
from router.domain.servers import ProcessFacts, ServerStatus, SignIn
from router.domain.tool_lists import Finding
from router.domain.tools import PendingTool, ToolView
from router.domain.workspaces import ProjectSummary, WorkspaceSummary
from router.store.config_store import Rejected


def server(status: ServerStatus) -> JsonObject:
    return {
        "id": status.id,
        "name": status.name,
        "workspace": status.workspace,
        "transport": status.transport,
        "target": status.target,
        "enabled": status.enabled,
        "state": status.state,
        **_explained(status),
        "discovery": status.discovery,
        "toolCount": status.tool_count,
        "listedAt": _time(status.listed_at),
        "waitingCount": status.waiting_count,
        "suspiciousCount": status.suspicious_count,
        "cuts": {cut.kind: cut.count for cut in status.cuts},
        "failure": _failure(status),
        "process": _process(status.process),
        "protection": _protection(status.protection),
        "discoveryAccess": status.access,
    }


def _protection(protection: Protection | None) -> JsonObject | None:
    if protection is None:
        return None
    return {
        "level": int(protection.level),
        "words": protection_words(protection),
        "filesBlocked": protection.files_blocked,
        "networkBlocked": not protection.network,
        "memoryMb": protection.memory_mb,
        "missing": list(map(str, protection.missing)),
    }


def receipt(name: str, found: Receipt) -> JsonObject:
    package = found.package
    return {
        "server": name,
        "at": _time(found.at),
        "protection": _protection(found.protection),
        "watched": found.watched,
        "files": list(found.files),
        "hosts": list(found.hosts),
        "programs": list(found.programs),
        "leftOut": found.left_out,
        "unseen": list(found.unseen),
        "memoryMb": found.memory_mb,
        "asWritten": str(found.as_written) if found.as_written else None,
        "package": package
        and {
            "source": package.source,
            "name": package.name,
            "version": package.version,
            "integrity": package.integrity,
            "fetchedAt": _time(package.fetched_at),
        },
    }


def _explained(status: ServerStatus) -> JsonObject:
    advice = explain(status)
    return {"cause": advice.cause, "action": advice.suggestion}


def _process(facts: ProcessFacts | None) -> JsonObject | None:
    if facts is None:
        return None
    return {
        "pid": facts.pid,
        "startedAt": _time(facts.started_at),
        "processes": facts.processes,
        "rssBytes": facts.rss_bytes,
        "cpuSeconds": facts.cpu_s,
        "cpuPercent": facts.cpu_percent,
    }


def _failure(status: ServerStatus) -> JsonObject | None:
    if status.failure is None:
        return None
    advice = advise(status.failure, status.name)
    return {
        "kind": status.failure.kind,
        "cause": advice.cause,
        "suggestion": advice.suggestion,
        "retryAt": _time(status.failure.retry_at),
    }


def sign_in(begun: SignIn) -> JsonObject:
    return {"authorizationUrl": begun.authorization_url, "expiresAt": _time(begun.expires_at)}


def tool(view: ToolView) -> JsonObject:
    return {
        "toolKey": str(view.key),
        "title": view.title,
        "description": view.description,
        "signature": view.signature,
        "effect": view.effect,
        "contextTokens": view.context_tokens,
        "permission": view.permission,
        "approval": view.approval,
        "findings": [finding(found) for found in view.findings],
        "available": view.available,
        "lastSeen": _time(view.last_seen),
        "source": view.source,
    }


def missing_list(status: ServerStatus) -> JsonObject:
    """What stands for the tools of a server whose list nobody has seen."""
    return {
        "toolKey": f"{status.id}/*",
        "title": status.name,
        "description": f"No list of tools yet ({status.discovery}).",
        "available": False,
    }


def finding(found: Finding) -> JsonObject:
    return {
        "kind": found.kind,
        "rule": found.rule,
        "where": found.where,
        "words": found.words,
    }


def pending_tool(tool: PendingTool) -> JsonObject:
    return {
        "toolKey": str(tool.key),
        "approval": tool.approval,
        "old": tool.old,
        "new": tool.new,
        "difference": [[part.change, part.text] for part in tool.difference],
        "findings": [finding(found) for found in tool.findings],
    }


def hit(found: SearchHit) -> JsonObject:
    return {
        "toolKey": str(found.tool.key),
        "serverName": found.tool.server_name,
        "description": found.tool.description,
        "signature": found.tool.signature,
        "relevance": found.relevance,
        "explanation": found.explanation,
    }


def workspace(summary: WorkspaceSummary) -> JsonObject:
    return {
        "id": summary.id,
        "name": summary.name,
        "servers": summary.server_count,
        "active": summary.active,
        "approval": summary.approval,
    }


def project(summary: ProjectSummary) -> JsonObject:
    return {
        "id": summary.id,
        "name": summary.name,
        "servers": None if summary.servers is None else list(summary.servers),
        "optimization": summary.optimization,
        "exposure": summary.exposure,
    }


def token(summary: TokenSummary) -> JsonObject:
    return {
        "id": summary.id,
        "name": summary.name,
        "workspace": summary.workspace,
        "project": summary.project,
        "servers": None if summary.servers is None else list(summary.servers),
        "createdAt": _time(summary.created_at),
        "expiresAt": _time(summary.expires_at),
        "lastUsedAt": _time(summary.last_used_at),
    }


def permission_request(request: PermissionRequest) -> JsonObject:
    return {
        "id": request.id,
        "client": request.client,
        "workspace": request.ref.workspace,
        "project": request.project,
        "kind": request.kind,
        "toolKey": str(request.key),
        "arguments": request.arguments,
        "until": _time(request.until),
    }


def activity(entry: ActivityEntry) -> JsonObject:
    return {**camel(asdict(entry)), "at": entry.at.isoformat()}


def camel(fields: JsonObject) -> JsonObject:
    """Fields of a value of ours under the names that JSON has for them."""
    return {to_camel(name): value for name, value in fields.items()}


def rejected(file: Rejected) -> JsonObject:
    return {"path": str(file.path), "line": file.line, "reason": file.reason}


def listener(state: ListenerState) -> JsonObject:
    return {"phase": state.phase, "url": state.url, "message": state.message}


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
