"""`pausepoint inbox`: what waits for a person, over all threads and graphs."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pausepoint.errors import PausepointError

if TYPE_CHECKING:
    from langgraph_sdk.client import LangGraphClient

Json = dict[str, Any]


def inbox(
    kind: Annotated[str | None, typer.Option(help="form, clarification, review, approval, choice.")] = None,
    graph: Annotated[str | None, typer.Option(help="Of this graph only.")] = None,
    assignee: Annotated[str | None, typer.Option(help="Assigned to this person.")] = None,
    text: Annotated[str | None, typer.Option(help="Containing this text.")] = None,
    due: Annotated[bool, typer.Option("--due", help="What is due next comes first.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List what waits. Answer with: pausepoint answer ID (the first characters of the id will do).

    Example: pausepoint inbox --kind approval
    """
    query = {"kind": kind, "graph_id": graph, "assignee": assignee, "text": text, "limit": limit}
    given: Json = {k: v for k, v in query.items() if v is not None}
    given["order"] = "due" if due else "newest"
    found = asyncio.run(_listed(given))
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        _show(found)


async def _listed(query: Json) -> Json:
    async with speaking() as client:
        return await request(client, "GET", "/inbox", params={**query, "count": "true"})


def _show(found: Json) -> None:
    from rich.console import Console
    from rich.table import Table

    if not found["items"]:
        typer.echo("Nothing waits.")
        return
    table = Table("id", "kind", "question", "graph", "for", "due", "since")
    for item in found["items"]:
        held = " (held)" if item["held"] else ""
        table.add_row(
            item["pause_id"][:8],
            item["kind"],
            item["title"] + held,
            item["graph_id"],
            item["assignee"] or "",
            (item["due_at"] or "")[:16].replace("T", " "),
            item["opened_at"][:16].replace("T", " "),
        )
    Console().print(table)
    typer.echo(f"{len(found['items'])} of {found['total']}")


@asynccontextmanager
async def speaking() -> AsyncGenerator["LangGraphClient"]:
    """A client of the server, or of an app in this process."""
    from pausepoint.cli.connect import connect
    from pausepoint.settings import get_settings

    async with connect(get_settings(), Path("langgraph.json")) as client:
        yield client


async def request(client: "LangGraphClient", method: str, path: str, **more: Any) -> Any:
    """Call a route of the server.

    Raises:
        Refused: The server refused; its words, and the whole answer.
    """
    answer = await client.http.client.request(method, path, **more)
    if answer.status_code >= 400:
        try:
            body = answer.json()
        except ValueError:
            body = {"detail": answer.text[:500]}
        raise Refused(answer.status_code, body)
    return answer.json()


class Refused(PausepointError):
    """The server's refusal."""

    def __init__(self, status: int, body: Json) -> None:
        """Keep both."""
        super().__init__(str(body.get("detail", body)))
        self.status = status
        self.body = body


async def find(client: "LangGraphClient", given: str) -> str:
    """The full id of a pause from its first characters.

    Raises:
        PausepointError: There is none, or there are several.
    """
    if len(given) >= 32:
        return given
    cursor: str | None = None
    found: list[str] = []
    while True:
        params = {"limit": 200, "snoozed": "true", **({"cursor": cursor} if cursor else {})}
        page = await request(client, "GET", "/inbox", params=params)
        found += [item["pause_id"] for item in page["items"] if item["pause_id"].startswith(given)]
        cursor = page["next"]
        if cursor is None or len(found) > 1:
            break
    if len(found) == 1:
        return found[0]
    reason = "nothing that waits has" if not found else "several have"
    raise PausepointError(f"{given!r}: {reason} an id that begins so; see pausepoint inbox.")
