# Calls tools of a running server with the generated client, over a session that is as small as can be.
import asyncio
import json
import sys
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any

from callsheet_client import (
    CallsheetClient,
    InvalidArgumentsError,
    NavigationFailedError,
    NotFoundError,
    RefusalError,
    Result,
)


@dataclass
class Content:
    type: str
    text: str


@dataclass
class CallResult:
    content: list[Content]
    structuredContent: dict[str, Any] | None
    isError: bool


class StdioSession:
    """A session over the standard input and output of a server that runs one request at a time."""

    def __init__(self, server: asyncio.subprocess.Process) -> None:
        self.server, self.last = server, 0

    async def send(self, message: dict[str, Any]) -> None:
        assert self.server.stdin is not None
        self.server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        await self.server.stdin.drain()

    async def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self.server.stdout is not None
        self.last += 1
        await self.send({"id": self.last, "method": method, "params": params})
        while True:
            answer: dict[str, Any] = json.loads(await self.server.stdout.readline())
            if answer.get("id") == self.last and "method" not in answer:
                result: dict[str, Any] = answer["result"]
                return result

    async def call_tool(self, name: str, arguments: dict[str, Any] | None = None) -> CallResult:
        result = await self.request("tools/call", {"name": name, "arguments": arguments or {}})
        content = [Content(c["type"], c.get("text", "")) for c in result["content"]]
        return CallResult(content, result.get("structuredContent"), result.get("isError", False))


async def main(program: str, site: str, state: str) -> None:
    server = await asyncio.create_subprocess_exec(
        program, "serve", "--state-dir", state, "--all-tools",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 24,
    )
    session = StdioSession(server)
    await session.request(
        "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    )
    await session.send({"method": "notifications/initialized"})
    c = CallsheetClient(session)

    async def says(want: str, call: Awaitable[Result]) -> None:
        text = (await call).text
        assert want in text, text

    await says("", c.navigate(url=site + "/form.html"))
    await says("Send order", c.read_page(mode="interactive", max_bytes=4000))
    await says("Password", c.find(query="password field", limit=3))
    await says("", c.fill_form(fields=[{"query": "Name", "value": "Ada"}, {"query": "Gift", "value": "true"}]))
    await says("", c.form_input(query="Size", value="Large"))
    await says("name", c.query_dom(method="css", selector="input", multiple=True))
    await says("Submitted", c.interact(query="Send order", action="click"))
    await says("Thanks", c.javascript_tool(code="document.querySelector('h1').textContent"))
    await says("", c.wait_for(type="selector", value="h1", visible=True))
    await says("", c.page_reload(ignore_cache=True))

    tabs = (await c.tabs_context()).value
    assert len(tabs["tabs"]) == tabs["tabCount"] and tabs["tabs"][0]["title"] == "Submitted", tabs

    try:
        await c.fill_form(fields=[{"query": "zzz qqq", "value": "x"}], wait_for_ms=0)
        raise AssertionError("the call is not refused")
    except NotFoundError as error:
        assert error.refusal_class == "not_found" and len(error.common["problems"]) == 1, error
    try:
        await c.read_page(max_bytes=1 << 30)
        raise AssertionError("the call is not refused")
    except InvalidArgumentsError as error:
        assert len(error.fields["violations"]) == 1, error
    try:
        await c.navigate(url="http://127.0.0.1:1/")
        raise AssertionError("the call is not refused")
    except RefusalError as error:
        assert isinstance(error, NavigationFailedError) and error.tool == "navigate", error
    assert server.stdin is not None
    server.stdin.close()
    await server.wait()
    print("11 tools")


asyncio.run(main(*sys.argv[1:4]))
