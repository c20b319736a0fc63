"""A client written with the official Python SDK, driven from outside over standard input and output.

One JSON object a line. From outside: {"id", "method", "params"} asks the agent, {"reply", "result"} answers what the
agent asked. To the outside: {"id", "result"} or {"id", "error"}, {"ask", "method", "params"}, {"update"}.
"""

import asyncio
import json
import os
import sys
from typing import Any

import acp
from acp.schema import CreateTerminalResponse, ReadTextFileResponse, RequestPermissionResponse
from acp.schema import TerminalOutputResponse, WaitForTerminalExitResponse, WriteTextFileResponse

LIMIT = 64 * 1024 * 1024

# How the SDK calls what the protocol calls otherwise.
CALLS = {
    "initialize": "initialize",
    "authenticate": "authenticate",
    "session/new": "new_session",
    "session/load": "load_session",
    "session/resume": "resume_session",
    "session/list": "list_sessions",
    "session/close": "close_session",
    "session/prompt": "prompt",
    "session/cancel": "cancel",
    "session/set_mode": "set_session_mode",
    "session/set_config_option": "set_config_option",
}


def snake(name: str) -> str:
    return "".join("_" + c.lower() if c.isupper() else c for c in name)


def plain(value: Any) -> Any:
    return value.model_dump(mode="json", by_alias=True, exclude_none=True) if hasattr(value, "model_dump") else value


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


class Editor:
    """Passes on whatever the agent asks for."""

    def __init__(self) -> None:
        self.waiting: dict[int, asyncio.Future[Any]] = {}

    async def ask(self, method: str, **params: Any) -> Any:
        number = len(self.waiting)
        self.waiting[number] = asyncio.get_running_loop().create_future()
        say({"ask": number, "method": method, "params": params})
        return await self.waiting[number]

    def on_connect(self, conn: Any) -> None:
        pass

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        say({"update": {"sessionId": session_id, "update": plain(update)}})

    async def request_permission(self, session_id: str, tool_call: Any, options: Any, **_: Any) -> Any:
        given = [plain(option) for option in options]
        answer = await self.ask("session/request_permission", toolCall=plain(tool_call), options=given)
        return RequestPermissionResponse.model_validate(answer)

    async def read_text_file(self, session_id: str, path: str, **_: Any) -> Any:
        return ReadTextFileResponse.model_validate(await self.ask("fs/read_text_file", path=path))

    async def write_text_file(self, session_id: str, path: str, content: str, **_: Any) -> Any:
        return WriteTextFileResponse.model_validate(await self.ask("fs/write_text_file", path=path, content=content))

    async def create_terminal(
        self, session_id: str, command: str, args: Any = None, env: Any = None, cwd: Any = None, **_: Any
    ) -> Any:
        given = [plain(variable) for variable in env or []]
        answer = await self.ask("terminal/create", command=command, args=args, env=given, cwd=cwd)
        return CreateTerminalResponse.model_validate(answer)

    async def terminal_output(self, session_id: str, terminal_id: str, **_: Any) -> Any:
        return TerminalOutputResponse.model_validate(await self.ask("terminal/output", terminalId=terminal_id))

    async def wait_for_terminal_exit(self, session_id: str, terminal_id: str, **_: Any) -> Any:
        answer = await self.ask("terminal/wait_for_exit", terminalId=terminal_id)
        return WaitForTerminalExitResponse.model_validate(answer)

    async def kill_terminal(self, session_id: str, terminal_id: str, **_: Any) -> None:
        await self.ask("terminal/kill", terminalId=terminal_id)

    async def release_terminal(self, session_id: str, terminal_id: str, **_: Any) -> None:
        await self.ask("terminal/release", terminalId=terminal_id)

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        say({"extension": method})


async def call(conn: Any, message: dict[str, Any]) -> None:
    params = {snake(name): value for name, value in message["params"].items()}
    try:
        result = await getattr(conn, CALLS[message["method"]])(**params)
        say({"id": message["id"], "result": plain(result)})
    except acp.RequestError as error:
        say({"id": message["id"], "error": {"code": error.code, "message": str(error), "data": error.data}})


async def main() -> None:
    editor = Editor()
    outside = asyncio.StreamReader(limit=LIMIT)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(outside), sys.stdin)
    command, *args = sys.argv[1:]
    running: set[asyncio.Task[None]] = set()
    limits = {"limit": LIMIT}
    async with acp.spawn_agent_process(editor, command, *args, env=dict(os.environ), transport_kwargs=limits) as (
        conn,
        _process,
    ):
        while line := await outside.readline():
            message = json.loads(line)
            if "reply" in message:
                editor.waiting[message["reply"]].set_result(message["result"])
                continue
            task = asyncio.create_task(call(conn, message))
            running.add(task)
            task.add_done_callback(running.discard)


asyncio.run(main())
