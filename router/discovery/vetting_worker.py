"""The process that looks at servers' lists: reads jobs from stdin, writes what it made of them.

A job is a line with the sizes of what follows, then the list in lines, one tool in each. It imports
as little as it can, because it is waited for, and ends when its input does.
"""

from __future__ import annotations

import json
import sys
from typing import Any, BinaryIO

from router.catalog.vetting.preparing import prepare
from router.domain.tool_lists import (
    ListLimits,
    PreparedListing,
    ServerListing,
    head_to_json,
    listing_from_json,
    tool_from_json,
    tool_to_json,
)

MEMORY_LIMIT_BYTES = 1024 * 1024 * 1024


def serve(jobs: BinaryIO, answers: BinaryIO) -> None:
    while line := jobs.readline():
        body = jobs.read(int(line))
        write_message(answers, do(body))


def do(job: bytes) -> bytes:
    head, *tools = job.split(b"\n")
    order: dict[str, Any] = json.loads(head)
    listing = ServerListing(tuple(json.loads(tool) for tool in tools if tool), **order["listing"])
    return encode_prepared(prepare(listing, ListLimits(**order["limits"])))


def encode_job(listing: ServerListing, limits: dict[str, Any]) -> bytes:
    rest = {
        "prompts": listing.prompts,
        "resources": listing.resources,
        "resource_templates": listing.resource_templates,
        "capabilities": listing.capabilities,
        "server_info": listing.server_info,
        "instructions": listing.instructions,
        "protocol_version": listing.protocol_version,
        "ttl_ms": listing.ttl_ms,
    }
    return _lines({"limits": limits, "listing": rest}, listing.tools)


def encode_prepared(listing: PreparedListing) -> bytes:
    return _lines(head_to_json(listing), (tool_to_json(tool) for tool in listing.tools))


def decode_prepared(answer: bytes) -> PreparedListing:
    head, *lines = answer.split(b"\n")
    tools = tuple(tool_from_json(json.loads(line)) for line in lines if line)
    return listing_from_json(json.loads(head), tools)


def write_message(stream: BinaryIO, body: bytes) -> None:
    stream.write(b"%d\n" % len(body))
    stream.write(body)
    stream.flush()


def _lines(head: Any, rest: Any) -> bytes:
    return "\n".join(json.dumps(each) for each in (head, *rest)).encode()


def limit_memory() -> None:
    """Where the system can: a list that needs more than this ends the process, not the router."""
    if sys.platform != "win32":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        within = hard == resource.RLIM_INFINITY or hard > MEMORY_LIMIT_BYTES
        limit = MEMORY_LIMIT_BYTES if within else hard
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def main() -> None:
    limit_memory()
    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
