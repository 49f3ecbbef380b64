// Tests kills of the runner of sessions with a budget: each request is charged once, and no budget is exceeded.
import assert from "node:assert/strict";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeAgent, makeEnvironment, steps, waitForTurn } from "../acceptance/harness/fixtures.ts";
import { CAN_INJECT } from "./inject-kill.ts";
import { killAtEveryWrite } from "./kill-at-every-write.ts";

/** Dollars for a million tokens: a request costs some 18 cents, and 8,192 output tokens 82. */
const PRICE = { date: "2026-11-01", input: 100, output: 100 };
const NANO_PER_TOKEN = 100_000;
const BUDGET = 200;
const CENT = 10_000_000;
/** Nanodollars, more than any of these requests can cost. */
const WORST = 2_500_000_000;

let berth: Berth;
let api: Api;
let body: AnyJson;
before(async () => {
  const file = join(await mkdtemp(join(tmpdir(), "berth-budgets-")), "models.json");
  await writeFile(file, JSON.stringify({ providers: {}, models: [{ id: "rehearsal/steps", price: PRICE }] }));
  berth = await Berth.start({ settings: { BERTH_MODELS_FILE: file } });
  api = await berth.client();
  const [agent, environment] = [await makeAgent(api), await makeEnvironment(api)];
  body = { agent: agent.id, environment_id: environment.id };
});
after(() => berth.stop());

const limit = (amount: string) => ({ type: "limit", max_list_cost: { amount, currency: "USD" } });

/** Returns the nanodollars of the requests whose usage is known, and how many others there are. */
function requestsOf(events: readonly AnyJson[]): { known: number; unknown: number; begun: number } {
  const ends = events.filter(({ type }) => type === "span.model_request_end");
  const usages = ends.flatMap(({ model_usage: usage }) => (usage === null ? [] : [usage]));
  const tokens = usages.reduce((sum, usage) => sum + usage.input_tokens + usage.output_tokens, 0);
  const begun = events.filter(({ type }) => type === "span.model_request_start").length;
  return { known: tokens * NANO_PER_TOKEN, unknown: ends.length - usages.length, begun };
}

test(
  "runner killed at any write of a turn up to its budget: charged once, never more than the budget",
  { timeout: 600_000, skip: !CAN_INJECT },
  (context) =>
    killAtEveryWrite(context, {
      service: () => berth,
      sampledPoints: 6,
      async run(name, attach) {
        const session = await api.ok("POST", "/sessions", { ...body, budget: limit(`${BUDGET}`) });
        await attach();
        const list = Array.from({ length: 12 }, (_, index) => bash(`echo ${name} ${index}`));
        const sent = await api.ok("POST", `/sessions/${session.id}/events`, {
          events: [steps(...list, { say: name })],
        });
        const events = await waitForTurn(api, session.id, sent.data[0].id);
        return { events, session: await api.ok("GET", `/sessions/${session.id}`) };
      },
      async check({ events, session }) {
        const { known, unknown, begun } = requestsOf(events);
        const charged = Number(session.usage.list_cost.amount);
        assert.deepEqual(events.at(-1)?.stop_reason, { type: "budget_reached", scope: "session" });
        assert.ok(charged <= BUDGET, `${charged} cents`);
        // The last request is the one that was not sent. Others without usage cost what they reserved, if
        // they came that far.
        const [least, most] = [Math.ceil(known / CENT), Math.ceil((known + (unknown - 1) * WORST) / CENT)];
        assert.ok(begun > 0 && charged >= least && charged <= most, `${least} ${charged} ${most}`);
        // Nothing is reserved any more: a cent above what was charged is accepted.
        await api.ok("POST", `/sessions/${session.id}`, { budget: limit(`${charged + 1}`) });
      },
    }),
);
