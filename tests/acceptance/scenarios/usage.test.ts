import assert from "node:assert/strict";
import { killRunners } from "../../crash/processes.ts";
import type { AnyJson } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeSession, steps } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";
import { readEventsUntil } from "../harness/stream.ts";
import { waitUntil } from "../harness/wait-until.ts";

const { berth, api } = await sharedService();

const get = (id: string): Promise<AnyJson> => api.ok("GET", `/sessions/${id}`);
const count = (events: AnyJson[], type: string) => events.filter((event) => event.type === type).length;

async function send(id: string, ...list: AnyJson[]): Promise<void> {
  await api.ok("POST", `/sessions/${id}/events`, { events: [steps(...list)] });
}

/** Returns the log when this many turns have ended. */
async function waitForTurns(id: string, turns: number): Promise<AnyJson[]> {
  let idles = 0;
  return await readEventsUntil(api, id, ({ type }) => type === "session.status_idle" && ++idles === turns);
}

/** Returns the sum of the usage of all span.model_request_end events. */
function totalUsage(events: AnyJson[]): AnyJson {
  const sum: AnyJson = {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
  for (const { type, model_usage: usage } of events) {
    if (type !== "span.model_request_end" || usage === null) continue;
    for (const kind of Object.keys(sum)) sum[kind] += usage[kind];
  }
  return sum;
}

/** Asserts that each model request has one end, and that the session's usage is their sum. */
async function checkUsage(id: string, events: AnyJson[]): Promise<AnyJson> {
  const session = await get(id);
  const { list_cost, ...tokens } = session.usage;
  assert.deepEqual([tokens, list_cost], [totalUsage(events), { amount: "0", currency: "USD" }]);
  const starts = events.filter(({ type }) => type === "span.model_request_start").map((event) => event.id);
  const ends = events.filter(({ type }) => type === "span.model_request_end");
  assert.deepEqual(
    ends.map((event) => event.model_request_start_id),
    starts,
  );
  return session;
}

covers(["session-stats-retries"], "retries: the wait is active time and adds no usage", async () => {
  const session = await makeSession(api);
  await send(session.id, { fail: "overloaded", times: 2 }, { say: "at last" });
  await waitUntil(
    async () => (await get(session.id)).status === "rescheduling",
    () => "the model is not asked again",
  );
  const events = await waitForTurns(session.id, 1);
  assert.equal(count(events, "session.status_rescheduled"), 2);
  const failed = events.filter(({ type, is_error: error }) => type === "span.model_request_end" && error);
  assert.deepEqual(
    failed.map(({ model_usage: usage }) => usage),
    [null, null],
  );
  const { status, stats, usage } = await checkUsage(session.id, events);
  assert.equal(status, "idle");
  assert.ok(usage.output_tokens > 0);
  assert.ok(
    stats.active_seconds >= 3 && stats.active_seconds <= stats.duration_seconds,
    `${stats.active_seconds} s`,
  );
  const later = await makeSession(api);
  await waitUntil(
    async () => (await get(later.id)).stats.duration_seconds >= 2,
    () => "a session gets no older",
  );
  assert.equal(
    (await get(session.id)).stats.active_seconds,
    stats.active_seconds,
    "an idle session is not active",
  );
});

covers(["session-stats-crash"], "runner killed during a turn: usage and active time are kept", async () => {
  const session = await makeSession(api);
  await send(session.id, { say: "one" }, bash("sleep 2"), { say: "two" }, bash("sleep 60"), { say: "three" });
  await readEventsUntil(
    api,
    session.id,
    ({ type, input }) => type === "agent.tool_use" && /60/.test(input.command),
  );
  const before = await get(session.id);
  assert.ok(before.stats.active_seconds >= 2 && before.usage.output_tokens > 0);
  killRunners(berth);
  const one = await waitForTurns(session.id, 1);
  const after = await checkUsage(session.id, one);
  assert.ok(after.stats.active_seconds >= before.stats.active_seconds, JSON.stringify(after.stats));
  assert.ok(after.usage.output_tokens > before.usage.output_tokens, "later usage is added");
  assert.ok(after.stats.active_seconds <= after.stats.duration_seconds);

  await send(session.id, { wait_ms: 2_000 }, { say: "four" });
  let requests = 0;
  const started = count(one, "span.model_request_start");
  await readEventsUntil(
    api,
    session.id,
    ({ type }) => type === "span.model_request_start" && ++requests > started,
  );
  killRunners(berth);
  const two = await waitForTurns(session.id, 2);
  const lost = two.filter(({ type, is_error: error }) => type === "span.model_request_end" && error);
  assert.equal(lost.length, 1, "the interrupted request has an end");
  assert.equal(lost[0].model_usage, null);
  const last = await checkUsage(session.id, two);
  assert.ok(last.stats.active_seconds >= after.stats.active_seconds + 2, JSON.stringify(last.stats));
});
