import assert from "node:assert/strict";
import { type AnyJson, type Api, assertError } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeSession, runTurn, steps, toolResults, waitForTurn } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";
import { readEventsUntil, readFrames } from "../harness/stream.ts";

const { api } = await sharedService();

const userMessage = (text: string) => ({ type: "user.message", content: [{ type: "text", text }] });

covers(["event-send", "event-turn"], "send message: accepted, then processed in a turn", async () => {
  const session = await makeSession(api);
  const sent = await api.ok("POST", `/sessions/${session.id}/events`, {
    events: [steps({ say: "Good morning." })],
  });
  assert.equal(sent.data.length, 1);
  assert.match(sent.data[0].id, /^evt_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.equal(sent.data[0].processed_at, null);
  assert.equal(sent.data[0].type, "user.message");
  const events = await waitForTurn(api, session.id, sent.data[0].id);
  const types = events.map(({ type }) => type).filter((type) => !type.startsWith("session.container"));
  assert.deepEqual(types, [
    "user.message",
    "session.status_running",
    "span.model_request_start",
    "agent.message",
    "span.model_request_end",
    "session.status_idle",
  ]);
  assert.deepEqual(events.at(-1).stop_reason, { type: "end_turn" });
  assert.deepEqual(events.find(({ type }) => type === "agent.message").content, [
    { type: "text", text: "Good morning." },
  ]);
  const [stored] = (await api.ok("GET", `/sessions/${session.id}/events?types[]=user.message`)).data;
  assert.match(stored.processed_at, /Z$/, "the input is marked as processed");
});

covers(["event-batch", "event-kinds"], "send events: all or none of a request are accepted", async () => {
  const { id } = await makeSession(api);
  const send = (events: AnyJson) => api.post(`/sessions/${id}/events`, { events });
  assertError(await send([]), 400, "invalid_request_error", { param: "events" });
  assertError(await send(Array.from({ length: 51 }, () => userMessage("x"))), 400, "invalid_request_error", {
    param: "events",
  });
  assertError(await send([userMessage("x"), { type: "user.shout" }]), 400, "invalid_request_error", {
    param: "events[1].type",
  });
  assertError(await send([{ type: "user.message" }]), 400, "invalid_request_error", {
    message: "Field 'events[0].content' is required.",
  });
  assertError(await send([{ type: "user.message", content: "plain" }]), 400, "invalid_request_error", {
    param: "events[0].content",
  });
  assertError(await send([{ type: "user.message", content: [] }]), 400, "invalid_request_error", {
    param: "events[0].content",
  });
  assertError(
    await send([{ type: "user.message", content: [{ type: "text" }] }]),
    400,
    "invalid_request_error",
    {
      param: "events[0].content[0].text",
    },
  );
  assertError(await send([{ type: "agent.message", content: [] }]), 400, "invalid_request_error");
  assert.deepEqual((await api.ok("GET", `/sessions/${id}/events`)).data, []);
  assert.equal(
    (await api.ok("POST", `/sessions/${id}/events`, { events: [userMessage("a"), userMessage("b")] })).data
      .length,
    2,
  );
  assertError(
    await api.post("/sessions/sess_01h00000000000000000000000/events", { events: [userMessage("x")] }),
    404,
    "not_found_error",
  );
});

covers(["event-initial"], "initial_events: start the session immediately", async () => {
  const session = await makeSession(api, { initial_events: [steps({ say: "already here" })] });
  const events = await readEventsUntil(api, session.id, ({ type }) => type === "session.status_idle");
  assert.ok(
    events.some(({ type, content }) => type === "agent.message" && content[0].text === "already here"),
  );
});

covers(["event-list"], "list events: both orders, filtered by type, in pages", async () => {
  const session = await makeSession(api);
  await runTurn(api, session.id, { say: "one" }, { say: "two" }, bash("true"), { say: "three" });
  const path = `/sessions/${session.id}/events`;
  const all = (await api.ok("GET", `${path}?limit=100`)).data;
  assert.equal(all[0].type, "user.message");
  assert.deepEqual((await api.ok("GET", `${path}?limit=100&order=desc`)).data, all.toReversed());
  const messages = (await api.ok("GET", `${path}?types[]=agent.message`)).data;
  assert.deepEqual(
    messages.map(({ content }: AnyJson) => content[0].text),
    ["one", "two", "three"],
  );
  const seen: AnyJson[] = [];
  let query = "limit=4";
  for (;;) {
    const part = await api.ok("GET", `${path}?${query}`);
    seen.push(...part.data);
    if (part.next_page === null) break;
    query = `limit=4&page=${encodeURIComponent(part.next_page)}`;
  }
  assert.deepEqual(seen, all);
  assert.deepEqual((await api.ok("GET", `${path}?after_id=${all[2].id}&limit=3`)).data, all.slice(3, 6));
  assert.deepEqual((await api.ok("GET", `${path}?before_id=${all[6].id}&limit=3`)).data, all.slice(3, 6));
  assertError(await api.get(`${path}?types[]=agent.song`), 400, "invalid_request_error");
  assertError(await api.get(`${path}?order=sideways`), 400, "invalid_request_error", { param: "order" });
});

covers(["event-stream"], "event stream: starts at the tail, one frame for each event", async () => {
  const session = await makeSession(api);
  await runTurn(api, session.id, { say: "before" });
  const stop = new AbortController();
  const opened = Promise.withResolvers<void>();
  const live = readFrames(api, session.id, { signal: stop.signal, onOpen: opened.resolve });
  const first = live.next();
  await Promise.race([opened.promise, first]);
  await api.ok("POST", `/sessions/${session.id}/events`, { events: [steps({ say: "after" })] });
  const { value } = await first;
  assert.equal(value?.event, "user.message");
  assert.equal(value?.id, value?.data.id);
  assert.equal(value?.data.type, "user.message");
  stop.abort();
});

covers(
  ["event-stream", "event-resume"],
  "event stream: resumes after any event without a gap or a duplicate",
  async () => {
    const session = await makeSession(api);
    await runTurn(api, session.id, { say: "one" }, bash("echo two"), { say: "three" });
    const log = (await api.ok("GET", `/sessions/${session.id}/events?limit=100`)).data;
    const replay = await readEventsUntil(api, session.id, ({ id }) => id === log.at(-1).id);
    assert.deepEqual(replay, log, "from=start is the whole log");
    for (const [index, event] of log.slice(0, -1).entries()) {
      const options = index % 2 === 0 ? { lastEventId: event.id } : { query: `after_id=${event.id}` };
      const rest: AnyJson[] = [];
      for await (const frame of readFrames(api, session.id, options)) {
        rest.push(frame.data);
        if (frame.id === log.at(-1).id) break;
      }
      assert.deepEqual(rest, log.slice(index + 1));
    }
    const other = (await makeSessionWithEvent()).event;
    for (const id of ["nonsense", "evt_01h00000000000000000000000", other]) {
      const response = await api.get(`/sessions/${session.id}/events/stream`, {
        headers: { "last-event-id": id },
      });
      assertError(response, 400, "invalid_request_error");
    }
  },
);

covers(["event-resume"], "event stream: the order is the same after a restart of the service", async () => {
  const settings = {};
  const first = await Berth.start({ settings });
  const client = await first.client();
  const session = await makeSession(client);
  await runTurn(client, session.id, { say: "one" });
  const log = (await client.ok("GET", `/sessions/${session.id}/events?limit=100`)).data;
  await first.kill("SIGKILL");
  const second = await Berth.start({ settings, dataDir: first.dataDir });
  try {
    const again = Object.assign(Object.create(Object.getPrototypeOf(client)), {
      url: second.url,
      token: client.token,
    }) as Api;
    await runTurn(again, session.id, { say: "two" });
    const rest: AnyJson[] = [];
    for await (const frame of readFrames(again, session.id, { lastEventId: log.at(-1).id })) {
      rest.push(frame.data);
      if (frame.event === "session.status_idle") break;
    }
    const now = (await again.ok("GET", `/sessions/${session.id}/events?limit=100`)).data;
    assert.deepEqual([...log, ...rest], now);
  } finally {
    await second.stop();
  }
});

covers(["event-interrupt"], "interrupt: ends a running command and its turn at once", async () => {
  const session = await makeSession(api);
  await runTurn(api, session.id, bash("true"));
  const sent = await api.ok("POST", `/sessions/${session.id}/events`, {
    events: [steps(bash("echo begun; sleep 100; echo survived"), { say: "no" })],
  });
  await readEventsUntil(api, session.id, eventAfter(sent.data[0].id, "agent.tool_use"));
  const interrupt = await api.ok("POST", `/sessions/${session.id}/events`, {
    events: [{ type: "user.interrupt" }],
  });
  const events = await waitForTurn(api, session.id, sent.data[0].id);
  assert.deepEqual(events.at(-1).stop_reason, { type: "cancelled" });
  const interruptedAt = Date.parse(events.find(({ id }) => id === interrupt.data[0].id).created_at);
  assert.ok(Date.parse(events.at(-1).created_at) - interruptedAt < 30_000);
  assert.equal(events.filter(({ type }) => type === "agent.tool_result").length, 1);
  assert.ok(!toolResults(events).some((text) => text.includes("survived")));
  assert.match(
    toolResults(await runTurn(api, session.id, bash("pgrep sleep || echo none")))[0] ?? "",
    /none/,
    "no process remains",
  );
});

covers(["event-interrupt"], "interrupt: ends a hanging model request", async () => {
  const session = await makeSession(api, { initial_events: [steps({ wait_ms: 60_000 })] });
  await readEventsUntil(api, session.id, ({ type }) => type === "span.model_request_start");
  await api.ok("POST", `/sessions/${session.id}/events`, { events: [{ type: "user.interrupt" }] });
  const events = await readEventsUntil(api, session.id, ({ type }) => type === "session.status_idle");
  assert.deepEqual(events.at(-1).stop_reason, { type: "cancelled" });
});

covers(["event-turn"], "model that fails: three retries, then the turn ends with its error", async () => {
  const session = await makeSession(api);
  const recovered = await runTurn(api, session.id, { fail: "overloaded", times: 1 }, { say: "better" });
  assert.deepEqual(recovered.at(-1).stop_reason, { type: "end_turn" });
  assert.ok(
    recovered.some(({ type, error }) => type === "session.error" && error.retry_status.type === "retrying"),
  );
  const lost = await runTurn(api, session.id, { fail: "interrupted_stream", times: 9 });
  assert.deepEqual(lost.at(-1).stop_reason, { type: "retries_exhausted" });
  assert.equal(lost.filter(({ type }) => type === "span.model_request_start").length, 4);
  const errors = lost
    .filter(({ type }) => type === "session.error")
    .map(({ error }) => [error.type, error.retry_status.type]);
  assert.deepEqual(errors.at(-1), ["model_request_failed_error", "exhausted"]);
});

function eventAfter(id: string, type: string): (event: AnyJson) => boolean {
  let found = false;
  return (event) => {
    found ||= event.id === id;
    return found && event.type === type;
  };
}

async function makeSessionWithEvent(): Promise<{ event: string }> {
  const { id } = await makeSession(api);
  const sent = await api.ok("POST", `/sessions/${id}/events`, { events: [userMessage("x")] });
  return { event: sent.data[0].id };
}
