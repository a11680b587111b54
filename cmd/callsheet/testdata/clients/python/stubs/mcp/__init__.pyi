# The part of the official SDK's interface that the generated client needs, as its documentation states it. The SDK itself is not
# installed where this is checked.
from datetime import timedelta
from typing import Any

class TextContent:
    type: str
    text: str

class CallToolResult:
    content: list[TextContent]
    structuredContent: dict[str, Any] | None
    isError: bool

class ClientSession:
    async def call_tool(
        self, name: str, arguments: dict[str, Any] | None = None, read_timeout_seconds: timedelta | None = None
    ) -> CallToolResult: ...
