import assert from "node:assert/strict";
import { test } from "node:test";
import { berth } from "../../../test-support/berth.ts";
import { startService } from "../../../test-support/service.ts";
import { logOf, says, turn } from "../../../test-support/session.ts";

const RUN = ["run", "Fix it.", "--agent", "agent_1"];

for (const [scope, ending, isOwn] of [
  ["session", "stopped: its budget was reached", true],
  ["user_day", "stopped: the spend limit of its user for today was reached", false],
] as const)
  test(`run --budget: a session that reaches the limit '${scope}' stays open, and its end says how to go on`, async (t) => {
    const stop_reason = { type: "budget_reached" as const, scope };
    const log = logOf("Fix it.", says("I begin."), { type: "session.status_idle", stop_reason });
    const service = await startService(t, log);
    const env = { BERTH_TOKEN: "berth_pat_good", BERTH_URL: service.url };
    const { code, stdout, stderr } = await berth([...RUN, "--budget", "2.50"], { env });
    assert.equal(code, 1, stderr);
    const created = service.calls.find(({ name }) => name === "POST /sessions");
    assert.deepEqual((created?.body as { budget: object } | undefined)?.budget, {
      ...{ type: "limit", max_list_cost: { amount: "250", currency: "USD" } },
    });
    assert.ok(stdout.includes(ending), stdout);
    assert.equal(stderr.includes("berth sessions update sess_1 -f budget.type=limit"), isOwn, stderr);
    assert.ok(!service.calls.some(({ name }) => name.endsWith("/archive")));
  });

test("run --budget: an amount of another form is wrong usage, and nothing is sent", async (t) => {
  const service = await startService(t, turn());
  const env = { BERTH_TOKEN: "berth_pat_good", BERTH_URL: service.url };
  for (const amount of ["0", "2.505", "-1", "two"]) {
    const { code, stderr } = await berth([...RUN, `--budget=${amount}`], { env });
    assert.equal(code, 2);
    assert.match(stderr, /US dollars from 0\.01 to 999999\.99, such as 2\.50/);
  }
  assert.deepEqual(service.calls, []);
});
