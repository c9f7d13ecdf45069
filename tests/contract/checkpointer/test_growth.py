"""State is stored once: how many bytes long threads, big values and forks take, and that deleting gives them back."""

from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from typing_extensions import TypedDict

from pausepoint.storage.checkpointer import SqliteCheckpointer
from pausepoint.storage.database import Database

TEXT = "a sentence of a usual answer, neither long nor short; " * 6


def config(thread: str) -> Any:
    return {"configurable": {"thread_id": thread}, "recursion_limit": 1000}


def chat(saver: Any) -> Any:
    async def answer(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(f"answer {len(state['messages'])} {TEXT}")]}

    builder = StateGraph(MessagesState)
    builder.add_node("answer", answer)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    return builder.compile(checkpointer=saver)


async def used(database: Database) -> int:
    """Bytes of the pages that hold anything."""

    def bytes_used(conn: Any) -> int:
        pages, free, size = (
            conn.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return (pages - free) * size

    return await database.read(bytes_used)


async def test_a_thousand_messages_take_a_few_megabytes_and_deleting_gives_them_back(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    async with await Database.open(path) as database:
        saver = SqliteCheckpointer(database, durable=False)
        empty = await used(database)
        graph = chat(saver)
        for n in range(500):
            await graph.ainvoke({"messages": [HumanMessage(f"question {n} {TEXT}")]}, config("t"))
        full = await used(database)

        assert full - empty <= 5_000_000
        state = await graph.aget_state(config("t"))
        assert [m.type for m in state.values["messages"]] == ["human", "ai"] * 500
        listed = [
            len(t.checkpoint["channel_values"]["messages"]) async for t in saver.alist(config("t"), limit=30)
        ]
        assert listed == [n for at in range(1000, 980, -2) for n in (at, at - 1, at - 2)]

        await saver.acopy_thread("t", "copy")
        await saver.aprune(["copy"])
        assert await used(database) - full < 1_500_000
        await saver.adelete_thread("t")
        assert len((await graph.aget_state(config("copy"))).values["messages"]) == 1000
        await saver.adelete_thread("copy")
        for _ in range(5):
            await saver.adelete_thread("nobody")
        assert await used(database) <= empty + 50_000
    assert path.stat().st_size <= empty + 50_000


class Photo(TypedDict):
    photo: str
    n: int


async def test_what_does_not_change_is_not_stored_again(tmp_path: Path) -> None:
    async def step(state: Photo) -> dict[str, Any]:
        return {"n": state["n"] + 1}

    builder = StateGraph(Photo)
    builder.add_node("step", step)
    builder.add_edge(START, "step")
    builder.add_conditional_edges("step", lambda state: END if state["n"] >= 200 else "step")
    async with await Database.open(tmp_path / "c.sqlite") as database:
        saver = SqliteCheckpointer(database, durable=False)
        empty = await used(database)
        graph = builder.compile(checkpointer=saver)
        await graph.ainvoke({"photo": "x" * 1_000_000, "n": 0}, config("t"))
        # Once as the input, once as the input's pending write, once as the channel.
        assert await used(database) - empty < 3_500_000
        # Putting the same photo again finds it there.
        states = [s async for s in graph.aget_state_history(config("t"))]
        for state in states[:20]:
            await graph.aupdate_state(state.config, {"n": 0})
        assert await used(database) - empty < 3_600_000


async def test_editing_one_message_of_many_stores_one_message(tmp_path: Path) -> None:
    async with await Database.open(tmp_path / "c.sqlite") as database:
        saver = SqliteCheckpointer(database, durable=False)
        ours, model = chat(saver), chat(InMemorySaver())
        for graph in (ours, model):
            messages = [HumanMessage(f"{n} {TEXT}", id=str(n)) for n in range(500)]
            await graph.ainvoke({"messages": messages}, config("t"))
        full = await used(database)
        for n in range(100):
            edit = {"messages": [HumanMessage(f"edited {n}", id=str(n * 5))]}
            await ours.aupdate_state(config("t"), edit, as_node="answer")
            await model.aupdate_state(config("t"), edit, as_node="answer")
        assert await used(database) - full < 2_500_000
        contents = [
            [m.content for m in (await graph.aget_state(config("t"))).values["messages"]]
            for graph in (ours, model)
        ]
        assert contents[0] == contents[1]
