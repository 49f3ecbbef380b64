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
import { canInject, injectKill, movingCalls, writingCalls } from "./inject-kill.ts";
import { isAlive, livingPid } from "./processes.ts";

/**
 * The runner is killed while it reclaims the disk of a session whose call waits to be confirmed. The call then runs once, in a
 * new container that has the session's skill.
 */
const points = [
  { calls: movingCalls, when: 1 },
  ...[1, 6, 14].map((when) => ({ calls: writingCalls, when })),
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

test("a call that waits while its session's disk is reclaimed runs once it is allowed, with the skill mounted again", {
  timeout: 300_000,
  skip: !canInject,
}, async (context) => {
  let cuts = 0;
  for (const { calls, when } of points) {
    const environment = await makeEnvironment(api, { name: `${calls} ${when}` });
    const { id } = await api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id });
    await allowed(id, bash("/mnt/skills/naming/scripts/run.sh > /data/name; cat /data/name"));
    const asked = await ask(id, "cat /data/name; /mnt/skills/naming/scripts/run.sh");
    const runner = await livingPid(berth, "runner");
    const tracer = await injectKill(runner, when, calls);
    await readEventsUntil(api, id, ({ type }) => type === "session.container_reclaimed");
    // The kill may come after the event, when the disk is moved aside.
    await Promise.race([tracer.exited, pause(500)]);
    if (!isAlive(runner)) cuts += 1;
    await tracer.stop();
    check(await allow(id, asked), `${calls} ${when}`);
  }
  context.diagnostic(`${cuts} of ${points.length} points cut a reclaim`);
  assert.ok(cuts >= points.length / 2, `only ${cuts} cuts`);
});

async function allowed(session: string, ...list: unknown[]): Promise<void> {
  await api.ok("POST", `/sessions/${session}/events`, { events: [steps(...list)] });
  const asked = await readEventsUntil(api, session, waits);
  const [text] = toolResults(await allow(session, asked));
  assert.match(text ?? "", /^I am naming/);
}

/** The log until the call waits. */
async function ask(session: string, command: string): Promise<AnyJson[]> {
  const sent = await api.ok("POST", `/sessions/${session}/events`, { events: [steps(bash(command))] });
  let begun = false;
  return await readEventsUntil(api, session, (event) => {
    begun ||= event.id === sent.data[0].id;
    return begun && waits(event);
  });
}

/** The log until the turn that goes on has ended. */
async function allow(session: string, asked: AnyJson[]): Promise<AnyJson[]> {
  const [id] = asked.at(-1).stop_reason.event_ids;
  const answer = { type: "user.tool_confirmation", tool_use_id: id, result: "allow" };
  const sent = await api.ok("POST", `/sessions/${session}/events`, { events: [answer] });
  let begun = false;
  return await readEventsUntil(api, session, (event) => {
    begun ||= event.id === sent.data[0].id;
    return begun && event.type === "session.status_idle";
  });
}

function waits(event: AnyJson): boolean {
  return event.type === "session.status_idle" && event.stop_reason.type === "requires_action";
}

function check(log: AnyJson[], point: string): void {
  const count = (type: string) => log.filter((event) => event.type === type).length;
  assert.deepEqual(log.at(-1).stop_reason, { type: "end_turn" }, point);
  assert.equal(new Set(log.map(({ id }) => id)).size, log.length, point);
  assert.deepEqual([count("agent.tool_use"), count("agent.tool_result")], [2, 2], point);
  assert.ok(count("session.container_reclaimed") >= 1, point);
  const [, text] = toolResults(log);
  assert.match(text ?? "", /No such file.*I am naming/s, `${point}: a new disk, and the skill is there`);
}
