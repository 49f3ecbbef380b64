import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Api, Wire } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeSession, results, steps, turn, turnOf } from "../acceptance/harness/fixtures.ts";
import { canInject, injectKill } from "./inject-kill.ts";
import { isAlive, pidOf } from "./processes.ts";

/**
 * One turn, cut at each of its crash points: the kernel kills the runner at the Nth time that it writes to the database or to
 * anything else, for every N until the turn gets through uncut.
 */
let berth: Berth;
let api: Api;
before(async () => {
  berth = await Berth.start();
  api = await berth.client();
});
after(() => berth.stop());

test("a turn cut at any point is taken up, and repeats no tool call", {
  timeout: 600_000,
  skip: !canInject,
}, async (context) => {
  const session = await makeSession(api);
  await turn(api, session.id, bash("touch /data/effects"));
  let cuts = 0;
  for (let point = 1; ; point++) {
    if (!(await cutAt(point, session.id))) break;
    cuts += 1;
  }
  context.diagnostic(`${cuts} crash points`);
  assert.ok(cuts > 10, `only ${cuts} crash points were met`);
});

/** Runs a turn with a kill at the given write; false when the turn got through without it. */
async function cutAt(point: number, session: string): Promise<boolean> {
  const runner = await livingRunner();
  const tracer = await injectKill(runner, point);
  const mark = (step: string) => bash(`echo ${point}-${step} >> /data/effects`);
  const sent = await api.ok("POST", `/sessions/${session}/events`, {
    events: [steps({ say: "begin" }, mark("a"), mark("b"))],
  });
  const events = await turnOf(api, session, sent.data[0].id);
  const cut = !isAlive(runner);
  await tracer.stop();
  await check(events, session, point);
  return cut;
}

async function check(events: Wire[], session: string, point: number): Promise<void> {
  const uses = events.filter(({ type }) => type === "agent.tool_use").map(({ id }) => id);
  const answered = events.filter(({ type }) => type === "agent.tool_result");
  assert.deepEqual(
    answered.map(({ tool_use_id: id }) => id).toSorted(),
    uses.toSorted(),
    `point ${point}: one result for each intent`,
  );
  assert.equal(events.filter(({ type }) => type === "user.message").length, 1);
  assert.deepEqual(events.at(-1).stop_reason, { type: "end_turn" }, `point ${point}`);
  const [effects = ""] = results(
    await turn(api, session, bash(`grep '^${point}-' /data/effects | sort | tr '\\n' ' '`)),
  );
  const seen = effects
    .trim()
    .split(" ")
    .filter((word) => word !== "" && !word.startsWith("("));
  assert.equal(new Set(seen).size, seen.length, `point ${point}: ran twice: ${effects}`);
  const interrupted = answered.filter(({ content }) =>
    content.some(({ text }: Wire) => /interrupted/i.test(text ?? "")),
  ).length;
  assert.ok(
    seen.length >= 2 - interrupted,
    `point ${point}: effects ${effects} with ${interrupted} interrupted`,
  );
}

async function livingRunner(): Promise<number> {
  for (;;) {
    const pid = pidOf(berth, "runner");
    if (pid !== null && isAlive(pid)) return pid;
    await pause(10);
  }
}
