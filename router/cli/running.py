"""`toolbooth COMMAND`: does it in the running instance, or on the files if none runs.

Results go to stdout, sentences about what went wrong to stderr. Exit codes: 0 done, 1 failed,
2 wrong usage.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import json
import logging
import os
import re
import signal
import sys
from argparse import Namespace
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from router.cli.exporting import export
from router.cli.grammar import parse
from router.cli.printing import print_human, print_sign_in, rejections, warnings_of
from router.cli.words import WrongUsage
from router.control.channel import send, socket_address
from router.domain.endpoint import ListenerPhase
from router.domain.errors import ToolboothError
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.servers import DiscoveryStatus
from router.runtime.tracing import TraceFormatter, redact_logs
from router.store.instance_lock import describe

log = logging.getLogger(__name__)

DONE, FAILED, WRONG_USAGE = 0, 1, 2
_UNDECODED = re.compile("[\udc80-\udcff]")
_LOOKS = 5
_LOOK_AGAIN_S = 0.1
_NOT_LISTED = (DiscoveryStatus.FAILED, DiscoveryStatus.TIMEOUT)


def run(arguments: Sequence[str], data_dir_of: Callable[[str | None], Path]) -> int:
    """Do what the command line says; returns the exit code."""
    try:
        _show_any_text()
        return _run(parse([_text(word) for word in arguments]), data_dir_of)
    except WrongUsage as error:
        return _complain(error, WRONG_USAGE, as_json=_wants_json(arguments))
    except ToolboothError as error:
        return _complain(error, FAILED, as_json=_wants_json(arguments))
    except KeyboardInterrupt:
        return FAILED
    except BrokenPipeError:
        return _let_go()
    except ModuleNotFoundError as error:
        incomplete = ToolboothError(
            f"This installation lacks {error.name}.", "Install again; from source, with: make run"
        )
        return _complain(incomplete, FAILED, as_json=_wants_json(arguments))
    except Exception as error:
        # The edge where a command ends: whatever went wrong, the terminal gets a sentence.
        log.info("The command failed", exc_info=True)
        unexpected = ToolboothError(f"Unexpected {type(error).__name__}: {error}")
        return _complain(unexpected, FAILED, as_json=_wants_json(arguments))


def _run(parsed: Namespace, data_dir_of: Callable[[str | None], Path]) -> int:
    data_dir = data_dir_of(parsed.data_dir)
    _check_folder(data_dir)
    with asyncio.Runner(loop_factory=_new_loop) as runner:
        if parsed.command == "serve":
            return runner.run(_serve(data_dir, parsed.port))
        _keep_log_quiet()
        if parsed.command == "connect":
            from router.bridge.command import run as run_bridge

            return runner.run(run_bridge(data_dir, parsed.profile))
        result = runner.run(_do(data_dir, parsed))
    code = _print(parsed, result)
    print(end="", flush=True)
    return code


def _wants_json(arguments: Sequence[str]) -> bool:
    """Known without the grammar, which may be what was broken. What `connect` writes is MCP."""
    own = list(arguments)[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in own and own[0] != "connect"


def _text(word: str) -> str:
    """Where the locale knows only ASCII, Python leaves the bytes of other letters as they are."""
    try:
        return os.fsencode(word).decode() if _UNDECODED.search(word) else word
    except UnicodeDecodeError:
        raise WrongUsage("The command line is not UTF-8 text.") from None


def _show_any_text() -> None:
    """Not every terminal can show every text: what it can't is written as its number."""
    if reconfigure := getattr(sys.stdout, "reconfigure", None):
        reconfigure(errors="backslashreplace")


def _check_folder(data_dir: Path) -> None:
    if data_dir.exists() and not data_dir.is_dir():
        raise ToolboothError(
            f"{data_dir} is a file, and Toolbooth keeps its files in a folder.",
            "Name a folder with --data-dir or TOOLBOOTH_HOME.",
        )


def _let_go() -> int:
    """The reader has seen enough, as `head` does; what is left goes nowhere at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FAILED


def _keep_log_quiet() -> None:
    """Only `serve` has a log; elsewhere Python would print warnings raw among our sentences."""
    if not logging.getLogger().handlers:
        logging.getLogger().addHandler(logging.NullHandler())


def _new_loop() -> asyncio.AbstractEventLoop:
    """uvloop where there is one; on Windows asyncio's own."""
    if sys.platform == "win32":
        return asyncio.new_event_loop()
    import uvloop

    return uvloop.new_event_loop()


async def _do(data_dir: Path, parsed: Namespace) -> Any:
    arguments: JsonObject = parsed.build(parsed)
    async with _instance(data_dir) as order:
        if parsed.command == "activity" and parsed.export:
            await export(order, arguments, parsed.export)
            return None
        result = await order(parsed.command, arguments)
        if parsed.command == "sign-in":
            print_sign_in(result, as_json=parsed.json)
            result = await order("sign-in wait", arguments)
        if parsed.command == "list":
            _tell(rejections(await order("rejected", {})))
        return result


@contextlib.asynccontextmanager
async def _instance(data_dir: Path) -> AsyncGenerator[Callable[[str, JsonObject], Awaitable[Any]]]:
    """Who does a command: the running instance, or we ourselves on the files."""
    if await _is_running(data_dir):
        yield functools.partial(send, socket_address(data_dir))
        return
    from router.control.commands import dispatch
    from router.service import Router  # takes most of a second: not for a word to an instance

    router = Router(data_dir)
    try:
        await router.open()
        yield functools.partial(dispatch, router)
    finally:
        await router.stop()


async def _is_running(data_dir: Path) -> bool:
    """Whether an instance has the directory. Another command that asks the same holds the lock for
    a moment, so who holds it without being an instance is looked at again."""
    for _ in range(_LOOKS):
        instance = describe(data_dir)
        if instance is None or instance.is_alive:
            return instance is not None
        await asyncio.sleep(_LOOK_AGAIN_S)
    return False


async def _serve(data_dir: Path, port: int | None) -> int:
    """Serve until told to stop; the one line on stdout is for programs that wait for it."""
    from router.cli.environment_servers import servers_of_environment
    from router.service import Router

    _log_to_stderr()
    stopping = asyncio.Event()
    _on_signals(stopping)
    router = Router(data_dir, port=port, extra_servers=servers_of_environment(os.environ))
    redact_logs(router.redact)
    try:
        await router.start()
        # What is loaded by now stays: to look through it for garbage again and again would hold up
        # every client for a tenth of a second each time.
        gc.freeze()
        listener = router.endpoint.state()
        if listener.phase is not ListenerPhase.LISTENING:
            raise ToolboothError(listener.message or "The endpoint could not be opened.")
        print(json.dumps({"event": "listening", "url": listener.url}), flush=True)
        await stopping.wait()
    finally:
        await router.stop()
    return DONE


def _log_to_stderr() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(TraceFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    for library in ("mcp", "uvicorn", "httpx2", "httpcore2"):
        logging.getLogger(library).setLevel(logging.WARNING)


def _on_signals(stopping: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        if sys.platform == "win32":
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stopping.set))
        else:
            loop.add_signal_handler(number, stopping.set)


def _print(parsed: Namespace, result: Any) -> int:
    if parsed.command == "activity" and parsed.export:
        return DONE
    if parsed.json:
        print(json.dumps(result, indent=2))
    else:
        print_human(parsed.command, result)
    _tell(warnings_of(parsed.command, result))
    return FAILED if _has_failed(parsed.command, result) else DONE


def _tell(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        print(f"toolbooth: {sentence}", file=sys.stderr)


def _has_failed(command: str, result: Any) -> bool:
    """Whether a result that can be shown still says that it did not work."""
    if command == "refresh":
        return any(as_object(server).get("discovery") in _NOT_LISTED for server in as_array(result))
    return command in ("call", "script run") and bool(as_object(result).get("isError"))


def _complain(error: ToolboothError, code: int, *, as_json: bool) -> int:
    """A sentence on stderr; with `--json` also an object where the result would have been."""
    if as_json:
        print(json.dumps({"error": {"message": error.message, "hint": error.hint}}), flush=True)
    print(f"toolbooth: {error.message}", file=sys.stderr)
    if error.hint:
        print(f"           {error.hint}", file=sys.stderr)
    return code
