import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { collect } from "../../test-support/collect.ts";
import type { Received } from "../../test-support/wire.ts";
import { clientOf, respond, respondWithError, startWire } from "../../test-support/wire.ts";

interface Stored {
  id: string;
  type: string;
}

/** Starts a server with a log. It replays from `last-event-id`, then the test controls connections. */
async function startLog(
  t: TestContext,
  log: Stored[],
  live: (write: Writer, index: number, response: ServerResponse) => void,
) {
  let streams = 0;
  const wire = await startWire(t, (request, response) => {
    if (!request.path.endsWith("/stream")) {
      const data = log.toReversed().slice(0, Number(request.query.get("limit")));
      return respond(response, 200, {
        data,
        next_page: null,
        first_id: null,
        last_id: null,
        has_more: false,
      });
    }
    live(writerOf(request, response, log), streams++, response);
  });
  const opened = () => wire.received.filter((request) => request.path.endsWith("/stream"));
  return { ...wire, opened };
}

type Writer = (from?: number, to?: number) => string;

/** Returns a function that renders the frames after the reader's position; default: the log's end. */
function writerOf(request: Received, response: ServerResponse, log: Stored[]): Writer {
  const last = request.headers["last-event-id"];
  const start =
    last !== undefined
      ? log.findIndex(({ id }) => id === last) + 1
      : request.query.get("from") === "start"
        ? 0
        : log.length;
  return (from = 0, to = Number.POSITIVE_INFINITY) => {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
    return log
      .slice(start)
      .slice(from, to)
      .map((event) => `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join("");
  };
}

function logOf(length: number, last = "session.status_terminated"): Stored[] {
  return Array.from({ length }, (_, i) => ({
    id: `evt_${i}`,
    type: i === length - 1 ? last : "agent.message",
  }));
}

test("stream: connections fail at random → every event is yielded once and in order", {
  timeout: 60_000,
}, async (t) => {
  const log = logOf(12);
  const fate = fc.oneof(
    fc.record({ kind: fc.constant("cut" as const), at: fc.nat({ max: 900 }) }),
    fc.record({ kind: fc.constant("end" as const), at: fc.nat({ max: 5 }) }),
    fc.constant({ kind: "refuse" as const, at: 0 }),
    fc.constant({ kind: "reset" as const, at: 0 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fate, { maxLength: 8 }), async (fates) => {
      const wire = await startLog(t, log, (write, index, response) => {
        const what = fates[index];
        if (what?.kind === "reset") response.destroy();
        else if (what?.kind === "refuse")
          respondWithError(response, 503, { type: "api_error", message: "Later." });
        else if (what?.kind === "end") response.end(`: hello\n\n${write(0, what.at)}`);
        else if (what?.kind === "cut")
          response.write(write().slice(0, what.at) || ":", () => response.destroy());
        else response.end(write());
      });
      const { client } = clientOf(wire.url, { maxRetries: 20 });
      assert.deepEqual(await collect(client.sessions.events.stream("sess_1", { from: "start" })), log);
      wire.server.closeAllConnections();
      wire.server.close();
    }),
    { numRuns: 60 },
  );
});

test("stream: starts at the end of the log → events appended while disconnected are not missed", async (t) => {
  const log = logOf(3, "agent.message");
  const wire = await startLog(t, log, (write, index, response) => {
    if (index === 0) {
      write();
      return void response.flushHeaders();
    }
    response.end(write());
  });
  const { client } = clientOf(wire.url, {
    sleep: async () => void log.push({ id: "evt_3", type: "session.status_terminated" }),
  });
  const events = client.sessions.events.stream("sess_1");
  const first = events.next();
  while (wire.opened().length === 0) await new Promise((resolve) => setImmediate(resolve));
  wire.server.closeAllConnections();
  assert.equal((await first).value?.id, "evt_3");
  assert.equal((await events.next()).done, true);
  assert.deepEqual(
    wire.opened().map(({ headers }) => headers["last-event-id"]),
    ["evt_2", "evt_2"],
  );
});

test("stream: the server is down → delays grow to 15 s and are reset by an event", async (t) => {
  const wire = await startLog(t, logOf(2), (write, index, response) => {
    if (index === 0) response.end(write(0, 1));
    else if (index < 9) response.destroy();
    else response.end(write());
  });
  const { client, waits } = clientOf(wire.url);
  const told: unknown[] = [];
  const callbacks = {
    onOpen: () => void told.push("open"),
    onLost: ({ wait }: { wait: number }) => void told.push(wait),
  };
  await collect(client.sessions.events.stream("sess_1", { from: "start" }, callbacks));
  assert.deepEqual(waits, [250, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000, 15_000]);
  assert.deepEqual(told, ["open", ...waits, "open"]);
});

test("stream: a silent connection is replaced", async (t) => {
  const wire = await startLog(t, logOf(2), (write, index, response) => {
    if (index === 0) response.write(write(0, 1));
    else response.end(write());
  });
  const events = clientOf(wire.url).client.sessions.events.stream(
    "sess_1",
    { from: "start" },
    { silence: 50 },
  );
  assert.equal((await collect(events)).length, 2);
  assert.equal(wire.opened().length, 2);
});

test("stream: an error response is thrown, at the first connection and at a later one", async (t) => {
  const wire = await startLog(t, logOf(2), (write, index, response) => {
    if (index === 1) response.end(write(0, 1));
    else respondWithError(response, 401, { type: "authentication_error", message: "Revoked." });
  });
  const { client } = clientOf(wire.url);
  const follow = () => collect(client.sessions.events.stream("sess_1", { from: "start" }));
  await assert.rejects(follow(), { type: "authentication_error" });
  await assert.rejects(follow(), { type: "authentication_error" });
  assert.equal(wire.opened().length, 3);
});

test("stream: an abort ends it without an error, and leaving the loop closes the connection", async (t) => {
  const closed: Promise<void>[] = [];
  const wire = await startLog(t, logOf(3), (write, _, response) => {
    closed.push(new Promise((resolve) => response.on("close", resolve)));
    response.write(write(0, 1));
  });
  const { client } = clientOf(wire.url);
  const controller = new AbortController();
  for await (const _ of client.sessions.events.stream(
    "sess_1",
    { from: "start" },
    { signal: controller.signal },
  ))
    controller.abort();
  for await (const _ of client.sessions.events.stream("sess_1", { from: "start" })) break;
  await Promise.all(closed);
  assert.equal(wire.opened().length, 2);
});

test("stream: the session is already terminated → ends immediately", async (t) => {
  const wire = await startLog(t, logOf(2), (write, _, response) => void response.end(write()));
  const { client, waits } = clientOf(wire.url);
  assert.deepEqual(await collect(client.sessions.events.stream("sess_1")), []);
  assert.deepEqual(await collect(client.sessions.events.stream("sess_1", { after_id: "evt_1" })), []);
  assert.deepEqual(waits, []);
});

test("stream: an event repeated after a reconnection is yielded once", async (t) => {
  const log = logOf(3);
  const wire = await startLog(t, log, (write, index, response) => {
    if (index === 0) response.end(write(0, 2));
    else response.end(`id: evt_1\ndata: ${JSON.stringify(log[1])}\n\n${write()}`);
  });
  const { client } = clientOf(wire.url);
  assert.deepEqual(await collect(client.sessions.events.stream("sess_1", { from: "start" })), log);
});

test("untilAnswered: the end of a turn that did not process the input does not end it", async (t) => {
  const idle = (id: string, type: string) => ({ id, type: "session.status_idle", stop_reason: { type } });
  const input = (processed_at: string | null) => ({ id: "evt_0", type: "user.message", processed_at });
  const waiting = input(null);
  const processed = input("2026-11-27T09:00:00.000Z");
  const running = (id: string) => ({ id, type: "session.status_running" });
  const rest = { id: "evt_9", type: "agent.message" };
  for (const [why, log, ids] of [
    [
      "another turn was ending; the next one took it",
      [processed, idle("evt_1", "end_turn"), running("evt_2"), idle("evt_3", "end_turn"), rest],
      ["evt_1", "evt_2", "evt_3"],
    ],
    [
      "another turn was interrupted before; it still waits",
      [waiting, idle("evt_1", "cancelled"), rest, running("evt_2"), idle("evt_3", "end_turn")],
      ["evt_1", "evt_9", "evt_2", "evt_3"],
    ],
    [
      "the turn that ran took it with its next request",
      [processed, { id: "evt_1", type: "span.model_request_start" }, idle("evt_2", "end_turn"), rest],
      ["evt_1", "evt_2"],
    ],
    [
      "the turn that ran took it as it was interrupted",
      [processed, idle("evt_1", "cancelled"), rest],
      ["evt_1"],
    ],
    [
      "it allowed one of two calls of the turn that ran",
      [processed, { id: "evt_1", type: "agent.tool_result" }, idle("evt_2", "requires_action"), rest],
      ["evt_1", "evt_2"],
    ],
  ] as const) {
    const wire = await startLog(
      t,
      [...log] as object[] as ReturnType<typeof logOf>,
      (write, _, response) => void response.write(write()),
    );
    const { client } = clientOf(wire.url);
    const events = await collect(client.sessions.events.untilAnswered("sess_1", "evt_0"));
    assert.deepEqual(
      events.map(({ id }) => id),
      ids,
      why,
    );
  }
});

test("untilIdle: ends with the turn", async (t) => {
  const log = [...logOf(2, "session.status_idle"), { id: "evt_9", type: "agent.message" }];
  const wire = await startLog(t, log, (write, _, response) => void response.write(write()));
  const { client } = clientOf(wire.url);
  const events = await collect(client.sessions.events.untilIdle("sess_1", { from: "start" }));
  assert.deepEqual(
    events.map(({ id }) => id),
    ["evt_0", "evt_1"],
  );
});
