# Each construct of types, in the client of gen/emit/golang/testdata/types.
from constructs_client import UNSET, Channel, XClient


async def right(c: XClient) -> str:
    hook: Channel = {"kind": "hook", "url": "https://example.org/", "headers": {"a": "b"}}
    out = await c.save(
        id="0b55b8d4-4d0f-4c0a-8f57-5f1c1f0b2a55", home={"street": "Long Lane", "zip": "12345"}, due=None, priority=3, level=UNSET, levels=[1, 2],
        color="red", shade=None, labels={"a": "b"}, rows={"x": [{"n": 1}]}, away=None, places=[None, {"street": "x"}],
        channels=[hook, {"kind": "mail", "to": "ada@example.com"}], first=hook, then={"do": "stop"}, tags=["a"], zips={"n": None}, extra=[1, None],
    )
    then = out.value["then"]
    return str(then["ms"]) if then["do"] == "wait" else then["do"]


async def wrong(c: XClient) -> None:
    await c.save(id="x", home={"street": "x"}, priority=4)  # type: ignore[arg-type]
    await c.save(id="x", home={"zip": "12345"})  # type: ignore[typeddict-item]
    await c.save(id="x", home={"street": "x"}, labels={"a": 1})  # type: ignore[dict-item]
    await c.save(home={"street": "x"})  # type: ignore[call-arg]
