"""State comes back as it was put: every kind of value, lists that grow, shrink and change, forks, delta channels."""

import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

from pausepoint.storage.checkpointer import SqliteCheckpointer
from pausepoint.storage.database import Database
from pausepoint.storage.errors import StorageError


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with await Database.open(tmp_path / "c.sqlite") as opened:
        yield opened


@pytest.fixture
def saver(database: Database) -> SqliteCheckpointer:
    return SqliteCheckpointer(database)


def config(thread: str = "t", ns: str = "", checkpoint_id: str | None = None) -> Any:
    found = {"thread_id": thread, "checkpoint_ns": ns}
    return {"configurable": found | ({"checkpoint_id": checkpoint_id} if checkpoint_id else {})}


async def put(saver: Any, values: dict[str, Any], version: int, parent: Any = None, **metadata: Any) -> Any:
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = values
    checkpoint["channel_versions"] = dict.fromkeys(values, version)
    return await saver.aput(parent or config(), checkpoint, metadata, dict.fromkeys(values, version))


VALUES = [
    None,
    True,
    0,
    -(2**63),
    1.5,
    "",
    "zażółć gęślą jaźń 🦊",
    "x" * 10_000,
    b"",
    b"\x00\xff" * 500,
    [],
    [1],
    [None] * 500,
    list(range(5000)),
    [[1, [2, [3]]], {"a": [{}]}],
    {"nested": {"list": ["x" * 300] * 20}},
    [{"type": "human", "content": "x" * 300, "n": i} for i in range(200)],
    ["x" * 5000, 1, None, {"k": "v"}],
    (1, 2, 3),
    {1: "integer key"},
    [HumanMessage("hello", id="1"), AIMessage([{"type": "text", "text": "hi"}], id="2")],
]


@pytest.mark.parametrize("encrypted", [False, True])
async def test_every_value_comes_back(database: Database, encrypted: bool) -> None:
    saver = SqliteCheckpointer(database, serde=EncryptedSerializer(_Xor()) if encrypted else None)
    values = {f"channel {i}": value for i, value in enumerate(VALUES)}

    stored = await put(saver, values, 1)

    found = await saver.aget_tuple(stored)
    assert found is not None
    expected = InMemorySaver()
    expected_config = await put(expected, values, 1)
    assert (
        found.checkpoint["channel_values"]
        == (await expected.aget_tuple(expected_config)).checkpoint["channel_values"]
    )


class _Xor:
    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        return "xor", bytes(b ^ 7 for b in plaintext)

    def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
        return bytes(b ^ 7 for b in ciphertext)


@pytest.mark.parametrize("kind", ["messages", "dicts", "numbers", "mixed"])
@pytest.mark.parametrize("seed", range(6))
async def test_any_history_of_lists_comes_back(database: Database, seed: int, kind: str) -> None:
    """Append, replace, insert, remove, mutate in place, fork, reopen: every checkpoint keeps its own state."""
    rng = random.Random(f"{seed} {kind}")
    saver, model = SqliteCheckpointer(database), InMemorySaver()
    history: list[tuple[Any, Any]] = [(None, None)]
    items: list[Any] = []
    for step in range(60):
        if rng.random() < 0.1:
            saver = SqliteCheckpointer(database)
        parent, model_parent = history[-1]
        if rng.random() < 0.15:
            parent, model_parent = rng.choice(history)
        if parent is not None and rng.random() < 0.5:
            found = await saver.aget_tuple(parent)
            items = list(found.checkpoint["channel_values"]["items"])
        items = _changed(items, rng, step, kind)
        other = {"note": "y" * rng.randrange(200)}
        history.append(
            (
                await put(saver, {"items": items, **other}, step, parent),
                await put(model, {"items": items, **other}, f"{step}", model_parent),
            )
        )
        items = list(items)
    for stored, expected in history[1:]:
        ours, theirs = await saver.aget_tuple(stored), await model.aget_tuple(expected)
        assert ours.checkpoint["channel_values"] == theirs.checkpoint["channel_values"]
    listed = [t.checkpoint["channel_values"] async for t in saver.alist(config())]
    assert listed == [
        (await model.aget_tuple(c)).checkpoint["channel_values"] for _, c in reversed(history[1:])
    ]


def _changed(items: list[Any], rng: random.Random, step: int, kind: str) -> list[Any]:
    items = list(items)
    match rng.randrange(8):
        case 0 if items:
            del items[rng.randrange(len(items))]
        case 1 if items:
            items[rng.randrange(len(items))] = _item(rng, step, kind)
        case 2:
            items.insert(rng.randrange(len(items) + 1), _item(rng, step, kind))
        case 3 if items:
            items = items[rng.randrange(len(items)) :]
        case 4 if items:
            rng.shuffle(items)
        case 5 if items and not isinstance(items[0], int | str):
            _mutate(rng.choice(items), step)
        case _:
            items += [_item(rng, step, kind) for _ in range(rng.randrange(1, 30))]
    return items


def _item(rng: random.Random, step: int, kind: str) -> Any:
    text = "z" * rng.choice([1, 20, 300, 2000])
    if kind == "messages":
        return rng.choice([HumanMessage, AIMessage])(f"{step} {text}", id=str(rng.random()), name="n")
    if kind == "dicts":
        return {"step": step, "text": text, "more": [1, {"a": None}]}
    if kind == "numbers":
        return rng.randrange(1 << 40)
    return rng.choice([step, text, HumanMessage(text, id=str(rng.random())), {"s": step}, [text]])


def _mutate(item: Any, step: int) -> None:
    if isinstance(item, HumanMessage | AIMessage):
        item.additional_kwargs["changed"] = {"at": [step]}
        item.content += "!"
    elif isinstance(item, dict):
        item["changed"] = step
    elif isinstance(item, list):
        item.append(step)


async def test_what_a_reader_does_with_its_state_reaches_nobody_else(saver: SqliteCheckpointer) -> None:
    messages = [
        HumanMessage(f"{i}" * 100, id=str(i), additional_kwargs={"a": {"b": [i]}}) for i in range(100)
    ]
    stored = await put(saver, {"messages": messages}, 1)

    for _ in range(3):
        seen = (await saver.aget_tuple(stored)).checkpoint["channel_values"]["messages"]
        assert [m.additional_kwargs["a"]["b"] for m in seen] == [[i] for i in range(100)]
        for message in seen:
            message.additional_kwargs["a"]["b"].append("mine")
            message.content = "mine"
            message.name = "mine"
    messages[5].content = "changed after it was put"

    assert (await saver.aget_tuple(stored)).checkpoint["channel_values"]["messages"][5].content == "5" * 100


async def test_messages_that_hold_anything_come_back(saver: SqliteCheckpointer) -> None:
    odd = ToolMessage("x" * 300, tool_call_id="1", id="odd", artifact={"set": {1, 2}}, extra_field=["e"])
    stored = await put(
        saver, {"messages": [*(HumanMessage("x" * 300, id=str(i)) for i in range(50)), odd]}, 1
    )

    for _ in range(2):
        found = (await saver.aget_tuple(stored)).checkpoint["channel_values"]["messages"]
        assert found[-1] == odd
        stored = await put(saver, {"messages": [*found, HumanMessage("more", id="more")][:51]}, 2, stored)


class Chat(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    log: Annotated[list[str], DeltaChannel(lambda state, writes: [*state, *(x for w in writes for x in w)])]


def chat(checkpointer: Any) -> Any:
    async def answer(state: Chat) -> dict[str, Any]:
        return {"messages": [AIMessage(f"answer {len(state['messages'])}")], "log": [f"a{len(state['log'])}"]}

    async def approve(state: Chat) -> dict[str, Any]:
        return {"log": [interrupt("sure?")]}

    builder = StateGraph(Chat)
    builder.add_node("answer", answer)
    builder.add_node("approve", approve)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", "approve")
    builder.add_edge("approve", END)
    return builder.compile(checkpointer=checkpointer)


async def _turns(graph: Any, n: int, durability: str = "sync") -> dict[str, Any]:
    result: dict[str, Any] = {}
    for i in range(n):
        question = {"messages": [HumanMessage(f"question {i}")], "log": [f"q{i}"]}
        await graph.ainvoke(question, config(), durability=durability)
        result = await graph.ainvoke(Command(resume=f"yes{i}"), config(), durability=durability)
    return result


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
async def test_a_chat_with_pauses_and_a_delta_channel_goes_on(
    saver: SqliteCheckpointer, durability: str
) -> None:
    ours = await _turns(chat(saver), 4, durability)
    theirs = await _turns(chat(InMemorySaver()), 4, durability)

    assert [m.content for m in ours["messages"]] == [m.content for m in theirs["messages"]]
    assert ours["log"] == theirs["log"]


async def test_state_history_is_complete(saver: SqliteCheckpointer) -> None:
    ours, theirs = chat(saver), chat(InMemorySaver())
    await _turns(ours, 3)
    await _turns(theirs, 3)

    def plain(states: list[Any]) -> list[Any]:
        return [
            (s.next, s.values.get("log"), len(s.values.get("messages", [])), s.metadata["step"], len(s.tasks))
            for s in states
        ]

    assert plain([s async for s in ours.aget_state_history(config())]) == plain(
        [s async for s in theirs.aget_state_history(config())]
    )


@pytest.mark.parametrize("paused", [False, True])
async def test_pruning_keeps_what_the_thread_needs_to_go_on(saver: SqliteCheckpointer, paused: bool) -> None:
    graph, unpruned = chat(saver), chat(InMemorySaver())
    for one in (graph, unpruned):
        await _turns(one, 3)
        if paused:
            await one.ainvoke({"messages": [HumanMessage("last")], "log": ["last"]}, config())

    await saver.aprune(["t"])
    await saver.aprune(["t"])

    assert len([t async for t in saver.alist(config())]) == 1
    state, expected = await graph.aget_state(config()), await unpruned.aget_state(config())
    assert state.values["log"] == expected.values["log"]
    assert state.next == expected.next
    assert [i.value for i in state.interrupts] == [i.value for i in expected.interrupts]
    command = Command(resume="go") if paused else {"messages": [HumanMessage("next")], "log": ["next"]}
    ours, theirs = await graph.ainvoke(command, config()), await unpruned.ainvoke(command, config())
    assert ours["log"] == theirs["log"]
    assert [m.content for m in ours["messages"]] == [m.content for m in theirs["messages"]]


async def test_deleting_a_run_keeps_the_delta_channel_of_later_ones(saver: SqliteCheckpointer) -> None:
    graph = chat(saver)
    for i in range(3):
        at = {**config(), "metadata": {"run_id": f"run{i}"}}
        await graph.ainvoke({"messages": [HumanMessage(f"q{i}")], "log": [f"q{i}"]}, at)
        await graph.ainvoke(Command(resume="y"), at)
    before = (await graph.aget_state(config())).values

    await saver.adelete_for_runs(["run0", "run1"])

    assert {t.metadata["run_id"] async for t in saver.alist(config())} == {"run2"}
    assert (await graph.aget_state(config())).values == before
    await saver.adelete_for_runs(["run2"])
    assert [t async for t in saver.alist(config())] == []
    assert await _rows(saver.database) == {"items": 0, "writes": 0, "checkpoints": 0, "lines": 0}


async def test_forking_and_updating_state(saver: SqliteCheckpointer) -> None:
    graph = chat(saver)
    await _turns(graph, 2)
    states = [s async for s in graph.aget_state_history(config())]
    early = next(s for s in states if s.next == ("approve",) and len(s.values["messages"]) == 2)

    forked = await graph.aupdate_state(early.config, {"messages": [HumanMessage("instead")], "log": ["fork"]})
    removed = await graph.aupdate_state(forked, {"messages": [RemoveMessage(early.values["messages"][0].id)]})

    contents = [m.content for m in (await graph.aget_state(removed)).values["messages"]]
    assert contents == ["answer 1", "instead"]
    again = [s async for s in graph.aget_state_history(config())][2:]
    assert [s.values for s in again] == [s.values for s in states]


async def test_copies_are_independent(saver: SqliteCheckpointer) -> None:
    graph = chat(saver)
    await _turns(graph, 2)
    values = (await graph.aget_state(config())).values

    await saver.acopy_thread("t", "copy")
    await saver.adelete_for_runs([], thread_id="t")
    await saver.adelete_thread("t")

    assert (await graph.aget_state(config("t"))).values == {}
    assert (await graph.aget_state(config("copy"))).values == values
    assert len([t async for t in saver.alist(config("copy"))]) == 8
    await saver.adelete_thread("copy")
    assert await _rows(saver.database) == {"items": 0, "writes": 0, "checkpoints": 0, "lines": 0}


async def test_deleting_a_run_can_be_limited_to_a_thread(saver: SqliteCheckpointer) -> None:
    await put(saver, {"a": 1}, 1, run_id="r")
    await saver.acopy_thread("t", "copy")

    await saver.adelete_for_runs(["r"], thread_id="t")

    assert await saver.aget_tuple(config("t")) is None
    assert await saver.aget_tuple(config("copy")) is not None


async def test_pruning_frees_what_nothing_refers_to(saver: SqliteCheckpointer) -> None:
    parent = None
    for i in range(30):
        parent = await put(saver, {"photo": f"{i}" * 5000, "list": ["x" * 500] * (i % 3 + 1)}, i, parent)

    await saver.aprune(["t"])

    assert await _rows(saver.database) == {"items": 4, "writes": 0, "checkpoints": 1, "lines": 1}
    assert (await saver.aget_tuple(config())).checkpoint["channel_values"]["photo"] == "29" * 5000
    parent = await put(saver, {"photo": "new" * 500, "list": ["y" * 500]}, 31, parent)
    assert (await saver.aget_tuple(config())).checkpoint["channel_values"]["list"] == ["y" * 500]


def test_the_sync_methods_do_the_same(tmp_path: Path) -> None:
    database = Database.open_sync(tmp_path / "c.sqlite")
    saver = SqliteCheckpointer(database)

    class State(TypedDict):
        log: Annotated[list[str], lambda a, b: a + b]

    builder = StateGraph(State)
    builder.add_node("one", lambda state: {"log": [interrupt("?")]})
    builder.add_edge(START, "one")
    graph = builder.compile(checkpointer=saver)
    graph.invoke({"log": ["start"]}, config())
    assert graph.get_state(config()).next == ("one",)
    saver.copy_thread("t", "copy")
    saver.prune(["t"])
    assert graph.invoke(Command(resume="yes"), config())["log"] == ["start", "yes"]
    assert len(list(saver.list(config(), limit=1))) == 1
    saver.delete_for_runs(["none"])
    saver.delete_thread("t")
    assert saver.get_tuple(config()) is None
    assert graph.invoke(Command(resume="no"), config("copy"))["log"] == ["start", "no"]
    database.close_sync()


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"flag": True}, 1),
        ({"flag": 1}, 0),
        ({"missing": None}, 2),
        ({"user": "o'neil\"; DROP TABLE checkpoints"}, 1),
        ({"a.b": 1}, 1),
        ({'$["]': 1}, 0),
        ({"nested": {"x": [1, 2]}}, 1),
        ({"run_id": "r1"}, 1),
        ({"number": 2}, 1),
        ({"number": "2"}, 0),
    ],
)
async def test_filters_are_exact_and_safe(
    saver: SqliteCheckpointer, wanted: dict[str, Any], found: int
) -> None:
    await put(saver, {}, 1, flag=True, user="o'neil\"; DROP TABLE checkpoints", run_id="r1", number=2)
    await put(saver, {}, 2, flag=False, nested={"x": [1, 2]}, run_id="r2", **{"a.b": 1})

    assert len([t async for t in saver.alist(None, filter=wanted)]) == found


async def test_listing_goes_on_over_many_pages(saver: SqliteCheckpointer) -> None:
    parent = None
    for i in range(53):
        parent = await put(saver, {"n": i}, i, parent, step=i)

    steps = [t.metadata["step"] async for t in saver.alist(config())]
    assert steps == list(reversed(range(53)))
    assert [t.metadata["step"] async for t in saver.alist(config(), limit=45)] == steps[:45]
    assert [t async for t in saver.alist(config(), limit=0)] == []


async def test_writes_may_come_before_their_checkpoint(saver: SqliteCheckpointer) -> None:
    checkpoint = empty_checkpoint()
    at = config(checkpoint_id=checkpoint["id"])

    await saver.aput_writes(at, [("b", "1"), ("a", 2)], "task2", "path1")
    await saver.aput_writes(at, [("c", 3)], "task1", "path2")
    assert await saver.aget_tuple(at) is None
    await saver.aput(config(), checkpoint, {}, {})

    found = await saver.aget_tuple(at)
    assert found.pending_writes == [("task2", "b", "1"), ("task2", "a", 2), ("task1", "c", 3)]


async def test_wrong_calls_say_what_is_wrong(saver: SqliteCheckpointer) -> None:
    with pytest.raises(StorageError, match="'sometimes'"):
        await saver.aprune(["t"], strategy="sometimes")
    with pytest.raises(StorageError, match="thread_id"):
        await saver.aget_tuple({"configurable": {}})
    with pytest.raises(StorageError, match="no checkpoint"):
        await saver.aput_writes(config(), [("a", 1)], "task")


async def _rows(database: Database) -> dict[str, int]:
    names = {"items": "checkpoint_items", "writes": "checkpoint_writes"} | {
        "checkpoints": "checkpoints",
        "lines": "checkpoint_lines",
    }
    return await database.read(
        lambda conn: {k: conn.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for k, t in names.items()}
    )
