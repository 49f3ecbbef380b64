import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import {
  bash,
  makeAgent,
  makeEnvironment,
  makeSkill,
  steps,
  toolResults,
} from "../acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../acceptance/harness/stream.ts";
import { CAN_INJECT, injectKill, RENAME_CALLS, WRITE_CALLS } from "./inject-kill.ts";
import { isAlive, waitForPid } from "./processes.ts";

/**
 * Tests kills of the runner while it reclaims the disk of a session with a call that waits for confirmation.
 * The call then runs once, in a new container with the session's skill.
 */
const POINTS = [
  { calls: RENAME_CALLS, when: 1 },
  ...[1, 6, 14].map((when) => ({ calls: WRITE_CALLS, when })),
];

let berth: Berth;
let api: Api;
let agent: AnyJson;
before(async () => {
  berth = await Berth.start({
    settings: { BERTH_DISK_RECLAIM_SECONDS: "1", BERTH_SANDBOX_IDLE_SECONDS: "0" },
  });
  api = await berth.client();
  const skill = await makeSkill(api, "naming");
  const configs = [{ name: "Bash", permission_policy: { type: "always_ask" } }];
  agent = await makeAgent(api, {
    skills: [{ type: "custom", skill_id: skill.id }],
    tools: [{ type: "agent_toolset_20260401", configs }],
  });
});
after(() => berth.stop());

test("runner killed during a reclaim with a waiting call: the call runs when it is allowed, with the skill mounted", {
  timeout: 600_000,
  skip: !CAN_INJECT,
}, async (context) => {
  let kills = 0;
  for (const { calls, when } of POINTS) {
    const environment = await makeEnvironment(api, { name: `${calls} ${when}` });
    const { id } = await api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id });
    await runAllowed(id, bash("/mnt/skills/naming/scripts/run.sh > /data/name; cat /data/name"));
    const waiting = await runUntilWaiting(id, "cat /data/name; /mnt/skills/naming/scripts/run.sh");
    const runner = await waitForPid(berth, "runner");
    const tracer = await injectKill(runner, when, calls);
    await readEventsUntil(api, id, ({ type }) => type === "session.container_reclaimed");
    // The kill may follow the event, when the disk is renamed.
    await Promise.race([tracer.exited, pause(500)]);
    if (!isAlive(runner)) kills += 1;
    await tracer.stop();
    check(await allow(id, waiting), `${calls} ${when}`);
  }
  context.diagnostic(`${kills} of ${POINTS.length} points killed the runner`);
  assert.ok(kills >= POINTS.length / 2, `only ${kills} kills`);
});

async function runAllowed(session: string, ...list: unknown[]): Promise<void> {
  await api.ok("POST", `/sessions/${session}/events`, { events: [steps(...list)] });
  const waiting = await readEventsUntil(api, session, isWaiting);
  const [text] = toolResults(await allow(session, waiting));
  assert.match(text ?? "", /^I am naming/);
}

/** Starts a command and returns the log when its call waits. */
async function runUntilWaiting(session: string, command: string): Promise<AnyJson[]> {
  const sent = await api.ok("POST", `/sessions/${session}/events`, { events: [steps(bash(command))] });
  let found = false;
  return await readEventsUntil(api, session, (event) => {
    found ||= event.id === sent.data[0].id;
    return found && isWaiting(event);
  });
}

/** Allows the waiting call and returns the log when the turn has ended. */
async function allow(session: string, log: AnyJson[]): Promise<AnyJson[]> {
  const [id] = log.at(-1).stop_reason.event_ids;
  const confirmation = { type: "user.tool_confirmation", tool_use_id: id, result: "allow" };
  const sent = await api.ok("POST", `/sessions/${session}/events`, { events: [confirmation] });
  let found = false;
  return await readEventsUntil(api, session, (event) => {
    found ||= event.id === sent.data[0].id;
    return found && event.type === "session.status_idle";
  });
}

function isWaiting(event: AnyJson): boolean {
  return event.type === "session.status_idle" && event.stop_reason.type === "requires_action";
}

function check(log: AnyJson[], point: string): void {
  const count = (type: string) => log.filter((event) => event.type === type).length;
  assert.deepEqual(log.at(-1).stop_reason, { type: "end_turn" }, point);
  assert.equal(new Set(log.map(({ id }) => id)).size, log.length, point);
  assert.deepEqual([count("agent.tool_use"), count("agent.tool_result")], [2, 2], point);
  assert.ok(count("session.container_reclaimed") >= 1, point);
  const [, text] = toolResults(log);
  assert.match(text ?? "", /No such file.*I am naming/s, `${point}: a new disk with the skill`);
}
