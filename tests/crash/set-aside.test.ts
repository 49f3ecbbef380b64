// Tests a session that is set aside after the runner crashes twice in its turns. Its neighbours continue, and
// its owner releases it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeSession, runTurn, steps } from "../acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../acceptance/harness/stream.ts";
import { isAlive, waitForPid } from "./processes.ts";

let berth: Berth;
let api: Api;
before(async () => {
  berth = await Berth.start();
  api = await berth.client();
  await berth.ready();
});
after(() => berth.stop());

/** Crashes the runner like a runtime that has run out of memory. */
async function crashRunner(): Promise<void> {
  const runner = await waitForPid(berth, "runner");
  process.kill(runner, "SIGABRT");
  while (isAlive(runner)) await pause(5);
}

async function read(session: AnyJson): Promise<AnyJson> {
  return await api.ok("GET", `/sessions/${session.id}`);
}

/** Returns a function that matches the `count`th event of a type, in a log that is read from its start. */
function countOf(type: string, count: number) {
  let seen = 0;
  return (event: AnyJson) => {
    if (event.type === type) seen += 1;
    return seen === count;
  };
}

test("two crashes in its turns → set aside, told, refused; released, it goes on", {
  timeout: 300_000,
}, async () => {
  const session = await makeSession(api);
  await runTurn(api, session.id, bash("true"));
  // Each command is cut off by a crash, and the turn continues with the next one.
  const turn = [bash("sleep 600"), bash("sleep 600"), { say: "Done." }];
  await api.ok("POST", `/sessions/${session.id}/events`, { events: [steps(...turn)] });
  await readEventsUntil(api, session.id, countOf("agent.tool_use", 2));
  await crashRunner();
  await readEventsUntil(api, session.id, countOf("agent.tool_use", 3));
  await crashRunner();
  const events = await readEventsUntil(api, session.id, countOf("session.error", 1));
  assert.equal(events.find(({ type }) => type === "session.error")?.error.type, "session_set_aside_error");
  const aside = await read(session);
  assert.equal(aside.status, "idle");
  assert.equal(aside.set_aside.reason, "runner_crashed");
  const listed = async () =>
    (await api.ok("GET", "/sessions?set_aside=true")).data.map(({ id }: AnyJson) => id);
  assert.deepEqual(await listed(), [session.id]);
  const refused = await api.call("POST", `/sessions/${session.id}/events`, {
    events: [steps({ say: "No." })],
  });
  assert.equal(refused.status, 409);

  const neighbour = await makeSession(api);
  await runTurn(api, neighbour.id, bash("true"));

  const released = await api.ok("POST", `/sessions/${session.id}/release`);
  assert.equal(released.set_aside, null);
  assert.deepEqual(await listed(), []);
  const answer = await runTurn(api, session.id, { say: "Here again." });
  assert.match(JSON.stringify(answer), /Here again/);
});
