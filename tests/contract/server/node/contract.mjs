// One scripted session with the JavaScript SDK; prints a line for each thing that works, and fails at the first that does not.
import assert from "node:assert/strict";
import { Client } from "@langchain/langgraph-sdk";

const client = new Client({ apiUrl: process.argv[2], apiKey: null });
const done = (what) => console.log("ok", what);

async function collect(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

{
  const found = await client.assistants.search({ limit: 100 });
  assert.ok(found.some((a) => a.graph_id === "basics"));
  const made = await client.assistants.create({ graphId: "basics", name: "From JS", context: { greeting: "Hey" } });
  assert.equal(made.version, 1);
  const drawn = await client.assistants.getGraph("nested", { xray: true });
  assert.ok(drawn.nodes.length >= 4);
  await client.assistants.delete(made.assistant_id);
  done("assistants");
}

{
  const thread = await client.threads.create({ metadata: { from: "js" } });
  const values = await client.runs.wait(thread.thread_id, "basics", { input: { steps: [] } });
  assert.deepEqual(values.steps, ["one", "two", "three"]);
  const state = await client.threads.getState(thread.thread_id);
  assert.deepEqual(state.values.steps, ["one", "two", "three"]);
  const history = await client.threads.getHistory(thread.thread_id, { limit: 3 });
  assert.equal(history.length, 3);
  const copied = await client.threads.copy(thread.thread_id);
  await client.threads.delete(copied.thread_id);
  const hits = await client.threads.search({ metadata: { from: "js" }, ids: [thread.thread_id] });
  assert.equal(hits.length, 1);
  done("threads and runs");
}

{
  const { thread_id } = await client.threads.create();
  const parts = await collect(
    client.runs.stream(thread_id, "chat", {
      input: { messages: [{ role: "user", content: "good day" }] },
      streamMode: ["messages-tuple", "values"],
      streamResumable: true,
    }),
  );
  assert.equal(parts[0].event, "metadata");
  const text = parts.filter((p) => p.event === "messages").map((p) => p.data[0].content).join("");
  assert.equal(text, "you said good day");
  const run = parts[0].data.run_id;
  const rest = await collect(client.runs.joinStream(thread_id, run, { lastEventId: parts[1].id }));
  assert.deepEqual(rest.map((p) => p.id), parts.slice(2).map((p) => p.id));
  const all = await collect(client.runs.joinStream(thread_id, run, { lastEventId: "-1" }));
  assert.equal(all.length, parts.length);
  done("streams");
}

{
  const { thread_id } = await client.threads.create();
  const paused = await client.runs.wait(thread_id, "pause", { input: { steps: [] } });
  assert.equal(paused.__interrupt__[0].value.question, "your name?");
  const end = await client.runs.wait(thread_id, "pause", { command: { resume: "Ada" } });
  assert.deepEqual(end.steps, ["before", "hello Ada", "after"]);
  done("pause and resume");
}

{
  const { thread_id } = await client.threads.create();
  const run = await client.runs.create(thread_id, "slow", { input: { steps: [] } });
  await assert.rejects(
    client.runs.create(thread_id, "basics", { input: { steps: [] }, multitaskStrategy: "reject" }),
    /409/,
  );
  await client.runs.cancel(thread_id, run.run_id, true);
  assert.equal((await client.runs.get(thread_id, run.run_id)).status, "interrupted");
  done("cancel");
}

{
  await client.store.putItem(["js"], "k", { a: 1 });
  assert.deepEqual((await client.store.getItem(["js"], "k")).value, { a: 1 });
  assert.equal((await client.store.searchItems(["js"], { filter: { a: 1 } })).items.length, 1);
  await client.store.deleteItem(["js"], "k");
  const cron = await client.crons.create("basics", { schedule: "0 9 * * *", input: { steps: [] }, timezone: "Europe/Warsaw" });
  await client.crons.delete(cron.cron_id);
  done("store and crons");
}

if (client.threads.stream) {
  const thread = client.threads.stream({ assistantId: "pause" });
  await thread.run.start({ input: { steps: [] } });
  await thread.output.catch(() => undefined);
  assert.equal(thread.interrupted, true);
  const [question] = thread.interrupts;
  assert.deepEqual(question.payload, { question: "your name?" });
  const events = await thread.subscribe({ channels: ["values", "lifecycle"] });
  await thread.input.respond({ interrupt_id: question.interruptId, namespace: question.namespace, response: "Bob" });
  let values;
  for await (const event of events) {
    if (event.method === "values") values = event.params.data;
    if (event.method === "lifecycle" && event.params.data.event === "completed") break;
  }
  assert.deepEqual(values.steps, ["before", "hello Bob", "after"]);
  await thread.close();
  done("thread protocol");

  const agent = client.threads.stream({ assistantId: "react" });
  const texts = [];
  const reading = (async () => {
    for await (const message of agent.messages) texts.push(await message.text);
  })();
  await agent.run.start({ input: { messages: [{ role: "user", content: "6 times 7?" }] } });
  await agent.output;
  await reading;
  assert.equal(texts.at(-1).trim(), "The product is 42.");
  await agent.close();
  done("thread protocol messages");
}
process.exit(0);
