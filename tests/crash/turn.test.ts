import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import {
  bash,
  makeSession,
  runTurn,
  steps,
  toolResults,
  waitForTurn,
} from "../acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../acceptance/harness/stream.ts";
import { CAN_INJECT } from "./inject-kill.ts";
import { killAtEveryWrite } from "./kill-at-every-write.ts";
import { killRunner } from "./processes.ts";

/**
 * Tests kills of the runner at each write of a turn, by system call, and again while its successor resumes
 * the turn.
 */
let berth: Berth;
let api: Api;
let session: string;
before(async () => {
  berth = await Berth.start();
  api = await berth.client();
  session = (await makeSession(api)).id;
  await runTurn(api, session, bash("touch /data/effects"));
});
after(() => berth.stop());

const OPTIONS = { timeout: 600_000, skip: !CAN_INJECT };

test(
  "runner killed at any write of a turn: the turn resumes, and no tool call is repeated",
  OPTIONS,
  (context) =>
    killAtEveryWrite(context, {
      service: () => berth,
      sampledPoints: 6,
      async run(name, attach) {
        await attach();
        return await waitForTurn(api, session, await sendTurn(name));
      },
      check,
    }),
);

test("second runner killed while it resumes the turn: the third one resumes it", OPTIONS, (context) =>
  killAtEveryWrite(context, {
    service: () => berth,
    sampledPoints: 3,
    async run(name, attach) {
      const id = await sendTurn(`again-${name}`);
      await readEventsUntil(api, session, firstCallAfter(id));
      await killRunner(berth);
      await attach();
      return await waitForTurn(api, session, id);
    },
    check: (events, name) => check(events, `again-${name}`),
  }),
);

async function sendTurn(name: string): Promise<string> {
  const mark = (step: string) => bash(`echo ${name}-${step} >> /data/effects`);
  const sent = await api.ok("POST", `/sessions/${session}/events`, {
    events: [steps({ say: "begin" }, mark("a"), mark("b"))],
  });
  return sent.data[0].id;
}

/** Returns a function that matches the first tool call of the turn that this input started. */
function firstCallAfter(id: string): (event: AnyJson) => boolean {
  let found = false;
  return (event) => {
    found ||= event.id === id;
    return found && event.type === "agent.tool_use";
  };
}

async function check(events: AnyJson[], name: string): Promise<void> {
  const uses = events.filter(({ type }) => type === "agent.tool_use").map(({ id }) => id);
  const results = events.filter(({ type }) => type === "agent.tool_result");
  assert.deepEqual(
    results.map(({ tool_use_id: id }) => id).toSorted(),
    uses.toSorted(),
    `${name}: one result for each call`,
  );
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length, `${name}: no event is duplicated`);
  assert.equal(events.filter(({ type }) => type === "user.message").length, 1);
  assert.deepEqual(events.at(-1).stop_reason, { type: "end_turn" }, name);
  const [effects = ""] = toolResults(
    await runTurn(api, session, bash(`grep '^${name}-[ab]$' /data/effects | sort | tr '\\n' ' '`)),
  );
  const seen = effects.split(/\s+/).filter((word) => word.startsWith(name));
  assert.equal(new Set(seen).size, seen.length, `${name}: a command ran twice: ${effects}`);
  const interrupted = toolResults(results).filter((text) => /interrupted/i.test(text)).length;
  assert.ok(seen.length >= 2 - interrupted, `${name}: effects ${effects} with ${interrupted} interrupted`);
}
