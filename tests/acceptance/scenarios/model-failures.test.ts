import assert from "node:assert/strict";
import { killRunners } from "../../crash/processes.ts";
import type { AnyJson } from "../harness/api.ts";
import { startBerth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import {
  bash,
  makeAgent,
  makeEnvironment,
  makeSession,
  runTurn,
  steps,
  waitForTurn,
} from "../harness/fixtures.ts";
import { readEventsUntil } from "../harness/stream.ts";

const RETRY_SECONDS = 15;
const { berth, api } = await startBerth({
  settings: { BERTH_MODEL_RETRY_SECONDS: String(RETRY_SECONDS), BERTH_MAX_MODEL_REQUESTS: "3" },
});

const isRescheduled = ({ type }: AnyJson) => type === "session.status_rescheduled";
const status = async (id: string) => (await api.ok("GET", `/sessions/${id}`)).status;
const milliseconds = (from: string, to: string) => Date.parse(to) - Date.parse(from);

covers(
  ["model-overload"],
  "overloaded model: waited out for the setting's time, and each wait says when the next request is",
  async () => {
    const session = await makeSession(api);
    const lost = await runTurn(api, session.id, { fail: "overloaded", times: 99 });
    assert.deepEqual(lost.at(-1).stop_reason, { type: "retries_exhausted" });
    const errors = lost.filter(({ type }) => type === "session.error").map(({ error }) => error);
    assert.deepEqual(
      [errors.at(-1).type, errors.at(-1).retry_status.type],
      ["model_overloaded_error", "exhausted"],
    );
    const waits = lost.filter(isRescheduled);
    for (const [index, wait] of waits.entries()) {
      const next = lost.slice(lost.indexOf(wait)).find(({ type }) => type === "span.model_request_start");
      assert.ok(milliseconds(wait.retry_at, next.created_at) >= -100, `wait ${index}`);
    }
    const first = errors.length > 0 ? lost.find(({ type }) => type === "session.error").created_at : "";
    assert.ok(milliseconds(first, lost.at(-1).created_at) >= RETRY_SECONDS * 1_000 - 100);
    assert.equal(await status(session.id), "idle");
  },
);

covers(
  ["model-overload", "model-overload-restart"],
  "overloaded model: a runner that dies in the wait is followed by one that goes on with it, and the session runs again after it",
  async () => {
    const session = await makeSession(api);
    const script = steps({ fail: "overloaded", times: 3 }, { wait_ms: 1_500 }, bash("sleep 1"), {
      say: "at last",
    });
    const { data } = await api.ok("POST", `/sessions/${session.id}/events`, { events: [script] });
    let waits = 0;
    await readEventsUntil(api, session.id, (event) => isRescheduled(event) && ++waits === 3);
    assert.equal(await status(session.id), "rescheduling");
    killRunners(berth);
    await readEventsUntil(api, session.id, ({ type }) => type === "agent.tool_use");
    assert.equal(await status(session.id), "running");
    const events = await waitForTurn(api, session.id, data[0].id);
    assert.deepEqual(events.at(-1).stop_reason, { type: "end_turn" });
    const promised = events.filter(isRescheduled).map(({ retry_at }) => retry_at);
    // A process that takes over after the wait sends the request at once.
    assert.ok(promised.length === 3 || promised.length === 4);
    assert.equal(promised[3] ?? promised[2], promised[2], "the wait does not begin again");
    assert.equal(events.filter(({ type }) => type === "span.model_request_start").length, 5);
  },
);

covers(["model-overload-restart"], "overloaded model: an interrupt ends the wait at once", async () => {
  const session = await makeSession(api);
  const script = steps({ fail: "rate_limited", times: 99 });
  const { data } = await api.ok("POST", `/sessions/${session.id}/events`, { events: [script] });
  let waits = 0;
  const waiting = await readEventsUntil(api, session.id, (event) => isRescheduled(event) && ++waits === 3);
  await api.ok("POST", `/sessions/${session.id}/events`, { events: [{ type: "user.interrupt" }] });
  const events = await waitForTurn(api, session.id, data[0].id);
  assert.deepEqual(events.at(-1).stop_reason, { type: "cancelled" });
  assert.equal(events.filter(isRescheduled).length, 3, "no other wait began");
  const { retry_at } = waiting.at(-1);
  assert.ok(milliseconds(events.at(-1).created_at, retry_at) > 0, "it ended before the next try");
  assert.equal((await runTurn(api, session.id, { say: "here" })).at(-1).stop_reason.type, "end_turn");
});

covers(
  ["model-request-limit"],
  "requests of a turn: the agent's limit, else the setting's; the next message continues",
  async () => {
    const environment = await makeEnvironment(api);
    const plain = await makeAgent(api);
    assert.ok(!("max_model_requests" in plain));
    const limited = await makeAgent(api, { max_model_requests: 2 });
    assert.equal(limited.max_model_requests, 2);
    const raised = await api.ok("POST", `/agents/${plain.id}`, { version: 1, max_model_requests: 5 });
    assert.equal(raised.max_model_requests, 5);
    const lowered = await api.ok("POST", `/agents/${limited.id}`, { version: 1, max_model_requests: null });
    assert.ok(!("max_model_requests" in lowered), "null clears it");
    for (const [agent, expected] of [
      [{ id: limited.id, type: "agent", version: 1 }, 2],
      [limited.id, 3],
      [plain.id, 5],
    ] as const) {
      const session = await api.ok("POST", "/sessions", { agent, environment_id: environment.id });
      const list = Array.from({ length: 9 }, (_, index) => bash(`echo ${index}`));
      const events = await runTurn(api, session.id, ...list);
      assert.deepEqual(events.at(-1).stop_reason, { type: "max_turns" });
      assert.equal(events.filter(({ type }) => type === "agent.tool_result").length, expected);
      const next = await runTurn(api, session.id, { say: "on" });
      assert.deepEqual(next.at(-1).stop_reason, { type: "end_turn" });
    }
    for (const bad of [0, 1.5, "3"])
      assert.equal(
        (await api.post("/agents", { name: "a", model: "rehearsal/steps", max_model_requests: bad })).status,
        400,
      );
  },
);
