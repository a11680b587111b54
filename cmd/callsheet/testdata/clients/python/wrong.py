# What a type checker refuses. It reports a comment whose line has no error.
from callsheet_client import CallsheetClient, FillFormFieldsItem, NoTabError
from mcp import ClientSession


async def wrong(session: ClientSession) -> None:
    c = CallsheetClient(session)
    await c.navigate(uri="https://example.org/")  # type: ignore[call-arg]
    await c.navigate(timeout=1000)  # type: ignore[call-arg]
    await c.computer(action="clik")  # type: ignore[arg-type]
    await c.emulate_device(is_mobile=True)  # type: ignore[call-arg]
    await c.read_page(tab_id=1)  # type: ignore[arg-type]
    (await c.tabs_context()).value["tabsCount"]  # type: ignore[typeddict-item]
    await c.read_pages()  # type: ignore[attr-defined]
    FillFormFieldsItem(query="Name")  # type: ignore[typeddict-item]
    try:
        await c.tabs_context()
    except NoTabError as error:
        print(error.fields["tabs"])
        print(error.fields["violations"])  # type: ignore[typeddict-item]
