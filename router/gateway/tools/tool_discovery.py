"""`tool_discovery`: the search, and its result, which is short because it stays in a conversation.

A search that finds nothing relevant says so, and which servers there are, instead of weak hits.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median

from router.catalog.tool_definition import compact_json, estimated_json_length
from router.catalog.tool_lookup import parse_name
from router.catalog.view import View
from router.domain.ids import ToolKey
from router.domain.json_values import JsonObject
from router.domain.search import MatchReasons, SearchHit, SearchReply, SearchRequest, UsageSignal
from router.domain.tools import Tool
from router.domain.workspaces import Optimization
from router.gateway.tools.meta_tools import DiscoveryArguments
from router.gateway.tools.result_pages import READ_RESULT
from router.gateway.tools.tool_results import text_result
from router.gateway.tools.unlisted_servers import unlisted_sentence
from router.search.calibration import MIN_RELEVANCE, NEGLIGIBLE

_TIMED = 50
_MIN_TIMED = 3
"""The first search waits for its index, so one alone is not typical."""
_ROOM_EACH = 370
"""How many characters a result may have on average. Short ones leave room for the others."""
_DESCRIPTION = range(60, 241)
_SIGNATURE = range(90, 301)
"""The bounds between which they are cut; a signature keeps all required parameters if it can."""
_ROOM_FOR_DEFINITIONS = 64 * 1024
"""For the definitions in a reply in full detail; results beyond it are brief."""
_MAX_ALSO = 3
_MAX_SERVERS = 40


async def find(
    view: View,
    query: DiscoveryArguments,
    usage: Sequence[UsageSignal] = (),
    strategy: Optimization | None = None,
) -> SearchReply:
    """Tools named by their key first, then what the search finds by the project's strategy, or the
    given one. Nothing while optimization is off."""
    strategy = strategy or view.optimization
    if strategy is None:
        return SearchReply((), Optimization.BM25)
    named = {text: tool for text in query.queries if (tool := _named(text, view))}
    exact = {
        tool.key: SearchHit(tool, 1.0, "named by its key", reasons=MatchReasons(exact_key=True))
        for tool in named.values()
    }
    texts = tuple(text for text in query.queries if text not in named)
    reply = SearchReply((), strategy)
    if texts:
        request = SearchRequest(texts, query.max_results, strategy, query.context, tuple(usage))
        reply = _relevant(await view.index.search(request))
    # A search may have begun on a view that has since lost tools.
    found = [hit for hit in reply.hits if hit.tool.key not in exact and hit.tool.key in view.tools]
    return replace(reply, hits=(*exact.values(), *found)[: query.max_results])


class SearchTimes:
    """How long recent searches took, by strategy. Searches that another strategy had to answer
    don't count."""

    def __init__(self) -> None:
        self._recent: dict[Optimization, deque[float]] = defaultdict(lambda: deque(maxlen=_TIMED))

    def record(self, reply: SearchReply, duration_ms: float) -> None:
        if not reply.note:
            self._recent[reply.strategy].append(duration_ms)

    def typical_ms(self, strategy: Optimization) -> float | None:
        recent = tuple(self._recent.get(strategy, ()))
        return median(recent) if len(recent) >= _MIN_TIMED else None


def _relevant(reply: SearchReply) -> SearchReply:
    """`reply` without negligible hits; without any if even the best one is not relevant."""
    best = max((hit.relevance for hit in reply.hits), default=0.0)
    if best < MIN_RELEVANCE[reply.strategy]:
        return replace(reply, hits=())
    return replace(reply, hits=tuple(hit for hit in reply.hits if hit.relevance >= NEGLIGIBLE))


def _named(query: str, view: View) -> Tool | None:
    """The tool that the query names by its key."""
    if (key := parse_name(view, query.strip())) is None:
        return None
    return READ_RESULT if key == READ_RESULT.key else view.tools.get(key)


def discovery_result(
    reply: SearchReply,
    view: View,
    queries: Sequence[str],
    readiness: Callable[[Tool], str],
    spelled: Callable[[ToolKey], str] | None = None,
    unlisted: Sequence[JsonObject] = (),
    *,
    full: bool = False,
) -> JsonObject:
    """The result of `tool_discovery`, as structured content and as text. `spelled` says how a
    script calls a tool, where scripts are offered; `unlisted` are the servers whose tools are not
    known. `full`: with the tools' whole definitions."""
    named = {tool.key for query in queries if (tool := _named(query, view))}
    results = [_result(hit, readiness(hit.tool), spelled) for hit in reply.hits]
    _describe(results, reply.hits)
    room = _ROOM_FOR_DEFINITIONS if full else 0
    for result, hit in zip(results, reply.hits, strict=True):
        whole = _whole(hit.tool)
        room -= estimated_json_length(whole, _ROOM_FOR_DEFINITIONS)
        if hit.tool.key in named or room > 0:
            result |= whole
    if results and reply.note:
        results[0]["explanation"] = f"{results[0]['explanation']} ({reply.note})"
    content: JsonObject = {"results": results}
    if not results and view.optimization is not None:
        content["message"] = _nothing_fits(view, reply.note, unlisted)
    if unlisted and view.optimization is not None:
        content["unlisted"] = list(unlisted)
    return {**text_result(compact_json(content)), "structuredContent": content}


def _nothing_fits(view: View, note: str, unlisted: Sequence[JsonObject]) -> str:
    counts = Counter(key.server for key in view.tools)
    servers = [f"{server} ({count} tools)" for server, count in sorted(counts.items())]
    if len(servers) > _MAX_SERVERS:
        servers[_MAX_SERVERS:] = [f"and {len(servers) - _MAX_SERVERS} more"]
    if servers:
        there = f"Servers here: {', '.join(servers)}."
    else:
        there = "" if unlisted else "There are no servers here."
    asked = f" ({note})" if note else ""
    parts = (f"No tool fits{asked}. Try other words.", there, unlisted_sentence(unlisted))
    return " ".join(filter(None, parts))


def _result(hit: SearchHit, readiness: str, spelled: Callable[[ToolKey], str] | None) -> JsonObject:
    tool = hit.tool
    result: JsonObject = {
        "toolKey": str(tool.key),
        "toolName": tool.key.tool,
        "serverName": tool.server_name,
        "description": "",
        "relevance": round(hit.relevance, 2),
        "explanation": hit.explanation,
        "signature": _short_signature(tool.signature),
        "readiness": readiness,
    }
    if hit.also_on:
        result["alsoOn"] = [str(key) for key in hit.also_on[:_MAX_ALSO]]
    if spelled is not None and tool is not READ_RESULT:
        result["lua"] = spelled(tool.key)
    return result


def _whole(tool: Tool) -> JsonObject:
    """What a result has of the tool's definition in full detail."""
    whole: JsonObject = {
        "description": tool.description,
        "signature": tool.signature,
        "inputSchema": tool.input_schema,
    }
    output = tool.wire.get("outputSchema")
    return whole if output is None else {**whole, "outputSchema": output}


def _describe(results: Sequence[JsonObject], hits: Sequence[SearchHit]) -> None:
    """Add descriptions, as long as there is room for all of them together."""
    lines = [" ".join(hit.tool.description.split()) for hit in hits]
    room = _ROOM_EACH * len(results) - len(compact_json(list(results)))
    length = _fair(sorted(map(len, lines)), room)
    for result, line in zip(results, lines, strict=True):
        result["description"] = line if len(line) <= length else f"{line[: length - 1]}…"


def _fair(lengths: Sequence[int], room: int) -> int:
    """How long each may be so that all have room: what short ones leave goes to the long ones."""
    for number, length in enumerate(lengths):
        share = room // (len(lengths) - number)
        if length > share:
            return min(max(share, _DESCRIPTION.start), _DESCRIPTION.stop - 1)
        room -= length
    return _DESCRIPTION.stop - 1


def _short_signature(signature: str) -> str:
    """Cut between two parameters; those that are required come first and stay if they can."""
    if len(signature) < _SIGNATURE.start:
        return signature
    required = signature.partition("?: ")[0]
    whole = len(signature) if required == signature else required.rfind(", ")
    limit = min(max(_SIGNATURE.start, whole), _SIGNATURE.stop - 1)
    if len(signature) <= limit:
        return signature
    kept, _, _ = signature[:limit].rpartition(", ")
    return f"{kept}, …)" if kept else f"{signature.partition('(')[0]}(…)"
