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
import { cutEverywhere } from "./cut-everywhere.ts";
import { canInject } from "./inject-kill.ts";
import { endRunner } from "./processes.ts";

/** One turn, cut at each of its writes, system call by system call; and once more while the next runner takes it up. */
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

const options = { timeout: 600_000, skip: !canInject };

test("a turn cut at any point is taken up, and repeats no tool call", options, (context) =>
  cutEverywhere(context, {
    service: () => berth,
    most: 16,
    async act(name, attach) {
      await attach();
      return await waitForTurn(api, session, await sendTurn(name));
    },
    check,
  }),
);

test(
  "a turn whose next runner is cut while it takes it up is taken up by the one after",
  options,
  (context) =>
    cutEverywhere(context, {
      service: () => berth,
      most: 6,
      async act(name, attach) {
        const id = await sendTurn(`again-${name}`);
        await readEventsUntil(api, session, begunAfter(id));
        await endRunner(berth);
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

/** Fits the first call of the turn that this input began. */
function begunAfter(id: string): (event: AnyJson) => boolean {
  let begun = false;
  return (event) => {
    begun ||= event.id === id;
    return begun && event.type === "agent.tool_use";
  };
}

async function check(events: AnyJson[], name: string): Promise<void> {
  const uses = events.filter(({ type }) => type === "agent.tool_use").map(({ id }) => id);
  const answered = events.filter(({ type }) => type === "agent.tool_result");
  assert.deepEqual(
    answered.map(({ tool_use_id: id }) => id).toSorted(),
    uses.toSorted(),
    `${name}: one result for each intent`,
  );
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length, `${name}: nothing is doubled`);
  assert.equal(events.filter(({ type }) => type === "user.message").length, 1);
  assert.deepEqual(events.at(-1).stop_reason, { type: "end_turn" }, name);
  const [effects = ""] = toolResults(
    await runTurn(api, session, bash(`grep '^${name}-[ab]$' /data/effects | sort | tr '\\n' ' '`)),
  );
  const seen = effects.split(/\s+/).filter((word) => word.startsWith(name));
  assert.equal(new Set(seen).size, seen.length, `${name}: ran twice: ${effects}`);
  const interrupted = toolResults(answered).filter((text) => /interrupted/i.test(text)).length;
  assert.ok(seen.length >= 2 - interrupted, `${name}: effects ${effects} with ${interrupted} interrupted`);
}
