import assert from "node:assert/strict";
import { type AnyJson, assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeSession, steps } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";
import { type Frame, readEventsUntil, readFrames } from "../harness/stream.ts";

const { api } = await sharedService();

/**
 * Returns the frames of a turn. The steps include waits, so that the runner learns of the stream before the
 * turn ends.
 */
async function turnFrames(session: AnyJson, query: string, list: AnyJson[]): Promise<Frame[]> {
  const seen: Frame[] = [];
  const opened = Promise.withResolvers<void>();
  const stream = readFrames(api, session.id, { query, onOpen: opened.resolve });
  const first = stream.next();
  await Promise.race([opened.promise, first]);
  await api.ok("POST", `/sessions/${session.id}/events`, { events: [steps(...list)] });
  for (let { value, done } = await first; done !== true; { value, done } = await stream.next()) {
    if (value === undefined) break;
    seen.push(value);
    if (value.event === "session.status_idle") break;
  }
  await stream.return(undefined);
  return seen;
}

const TEXT = "The model writes this, ä and 😀 too, in many small pieces.";

covers(
  ["event-deltas"],
  "event deltas: a message is streamed while the model writes it, then stored with the same id",
  async () => {
    const session = await makeSession(api);
    const seen = await turnFrames(session, "from=start&event_deltas[]=agent.message", [
      { say: TEXT },
      { wait_ms: 2_000 },
      bash("true"),
      { say: TEXT },
      { wait_ms: 2_000 },
    ]);
    const stored = seen.filter(({ event }) => event === "agent.message");
    assert.equal(stored.length, 2);
    for (const message of stored) {
      const own = seen.filter(
        ({ data }) =>
          (data.event_id ?? data.event?.id ?? (data.type === "agent.message" && data.id)) === message.id,
      );
      assert.equal(own[0]?.event, "event_start");
      assert.deepEqual(own[0]?.data, {
        type: "event_start",
        event: { type: "agent.message", id: message.id },
      });
      assert.equal(own.at(-1), message, "no frame of the message follows the stored event");
      const deltas = own.slice(1, -1);
      assert.ok(deltas.length > 0 && deltas.every(({ event }) => event === "event_delta"));
      assert.equal(deltas.map(({ data }) => data.delta.content.text).join(""), TEXT);
      assert.ok(
        own.slice(0, -1).every(({ id }) => id === ""),
        "previews do not move Last-Event-ID",
      );
    }
    const log = (await api.ok("GET", `/sessions/${session.id}/events?limit=100`)).data;
    assert.deepEqual(
      seen.filter(({ id }) => id !== "").map(({ data }) => data.id),
      log.map(({ id }: AnyJson) => id),
    );
    assert.ok(!log.some(({ type }: AnyJson) => type.startsWith("event_")), "previews are not in the log");
    const replayed = await turnFrames(session, `after_id=${log.at(-1).id}`, [{ say: "a" }, { wait_ms: 300 }]);
    assert.ok(
      replayed.every(({ id }) => id !== ""),
      "a stream without event_deltas has no previews",
    );
  },
);

covers(
  ["event-deltas"],
  "event deltas: a stream that is opened while a tool runs has nothing of the messages before it",
  async () => {
    const session = await makeSession(api);
    await api.ok("POST", `/sessions/${session.id}/events`, {
      events: [steps({ say: TEXT }, bash("sleep 3"), { say: "Over." })],
    });
    const log = await readEventsUntil(api, session.id, ({ type }) => type === "span.model_request_end");
    const stored = log.filter(({ type }) => type === "agent.message").map(({ id }) => id);
    assert.equal(stored.length, 1);
    const places = [log.at(-1), log.find(({ type }) => type === "agent.message")];
    const read = async (after: AnyJson | undefined) => {
      const query = `after_id=${after?.id}&event_deltas[]=agent.message`;
      for await (const { event, data } of readFrames(api, session.id, { query })) {
        assert.ok(!stored.includes(data.event_id ?? data.event?.id ?? data.id), `${event} of what is stored`);
        if (event === "session.status_idle") break;
      }
    };
    await Promise.all(places.map(read));
  },
);

covers(
  ["event-deltas"],
  "event deltas: a failed request's message is not stored, and the retry has a new id",
  async () => {
    const session = await makeSession(api);
    const seen = await turnFrames(session, "from=start&event_deltas[]=agent.message", [
      { say: "Half of" },
      { wait_ms: 1_500 },
      { fail: "overloaded", times: 1 },
      { wait_ms: 1_500 },
    ]);
    const started = seen.filter(({ event }) => event === "event_start").map(({ data }) => data.event.id);
    assert.equal(started.length, 2);
    const stored = seen.filter(({ event }) => event === "agent.message").map(({ id }) => id);
    assert.deepEqual(stored, started.slice(1));
  },
);

covers(
  ["event-deltas-kinds"],
  "event_deltas[]: an event type without previews is rejected with 400",
  async () => {
    const { id } = await makeSession(api);
    const path = `/sessions/${id}/events/stream?event_deltas[]=`;
    for (const wrong of ["agent.tool_use", "agent.song", ""]) {
      assertError(await api.get(`${path}${wrong}`), 400, "invalid_request_error", {
        param: "event_deltas[0]",
      });
    }
  },
);
