"""Graphs written in the field's usual ways run unchanged."""


async def test_a_react_agent_with_tools(client, thread):
    done = await client.runs.wait(
        thread, "react", input={"messages": [{"role": "user", "content": "6 times 7?"}]}
    )
    assert [m["type"] for m in done["messages"]] == ["human", "ai", "tool", "ai"]
    assert done["messages"][-1]["content"].strip() == "The product is 42."
    assert done["messages"][1]["tool_calls"][0]["args"] == {"a": 6, "b": 7}


async def test_map_reduce_with_send(client, thread):
    done = await client.runs.wait(thread, "mapreduce", input={"subjects": ["cat", "elephant", "dog"]})
    assert len(done["jokes"]) == 3
    assert done["best"] == "a elephant walks into a bar"


async def test_a_nested_subgraph_with_two_interrupts(client, thread):
    first = await client.runs.wait(thread, "nested", input={"log": []})
    assert first["__interrupt__"][0]["value"] == {"action": "publish?"}
    state = await client.threads.get_state(thread, subgraphs=True)
    assert state["tasks"][0]["state"]["values"]["log"] == ["draft"]
    second = await client.runs.wait(thread, "nested", command={"resume": "yes"})
    assert second["__interrupt__"][0]["value"] == {"action": "really yes?"}
    done = await client.runs.wait(thread, "nested", command={"resume": "sure"})
    assert done["log"] == ["draft", "yes, sure", "published"]
