import assert from "node:assert/strict";
import { killRunners } from "../../crash/processes.ts";
import { type AnyJson, type Api, assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, makeSession, runTurn, steps } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";
import { readEventsUntil } from "../harness/stream.ts";

const { berth, api } = await sharedService();

/** Returns the caller's sessions with their usage. */
async function sessionsOf(caller: Api): Promise<AnyJson[]> {
  return (await caller.ok("GET", "/sessions?limit=100&include_archived=true")).data;
}

/** Returns the total usage of sessions. */
function sumOf(sessions: readonly AnyJson[]): AnyJson {
  const sum: AnyJson = {};
  for (const { list_cost: _, ...usage } of sessions.map((session) => session.usage))
    for (const [kind, tokens] of Object.entries<number>(usage)) sum[kind] = (sum[kind] ?? 0) + tokens;
  return sum;
}

const GROUPS: Record<string, (session: AnyJson) => string> = {
  agent: ({ agent }) => agent.id,
  user: ({ owner_id: owner }) => owner,
  model: ({ agent }) => agent.model.id,
  environment: ({ environment_id: environment }) => environment,
};

/**
 * Asserts that each report of the caller equals the sums over the caller's sessions, none of which was
 * deleted.
 */
async function checkTotals(caller: Api, turns: number): Promise<void> {
  const sessions = await sessionsOf(caller);
  for (const [group, keyOf] of Object.entries(GROUPS)) {
    const { total, data, has_more } = await caller.ok("GET", `/usage?group_by=${group}`);
    assert.deepEqual([total.usage, total.sessions, has_more], [sumOf(sessions), sessions.length, false]);
    assert.deepEqual([total.turns, total.list_cost_usd, total.unpriced_tokens], [turns, 0, 0]);
    const whole = sessions.reduce((sum, { stats }) => sum + stats.active_seconds, 0);
    assert.ok(whole <= total.active_seconds && total.active_seconds < whole + sessions.length);
    const byKey = Map.groupBy(sessions, keyOf);
    assert.deepEqual(
      new Map(data.map(({ key, usage }: AnyJson) => [key, usage])),
      new Map([...byKey].map(([key, some]) => [key, sumOf(some)])),
      group,
    );
  }
}

covers(
  ["usage-totals", "usage-access"],
  "usage: totals equal the sums of the sessions that the caller may read",
  async () => {
    const agent = await makeAgent(api, { name: "Reporter" });
    const environment = await makeEnvironment(api, { name: "reported" });
    for (const say of ["one", "two and three"]) {
      const body = { agent: agent.id, environment_id: environment.id };
      const { id } = await api.ok("POST", "/sessions", body);
      await runTurn(api, id, { say });
      await runTurn(api, id, bash("echo $((6 * 7))"), { say });
    }
    const ada = await berth.client({ user: "ada@example.com" });
    const robot = await berth.client({ kind: "sat", user: "robot@example.com" });
    for (const caller of [ada, robot]) await runTurn(caller, (await makeSession(caller)).id, { say: "mine" });
    await checkTotals(api, 5);
    await checkTotals(ada, 2);
    await checkTotals(robot, 1);
    await checkTotals(await berth.client({ user: "admin@example.com", role: "admin" }), 6);
    const stranger = await berth.client({ user: "eve@example.com", org: "other", role: "admin" });
    assert.deepEqual((await stranger.ok("GET", "/usage")).data, []);
    const named = (await api.ok("GET", "/usage?group_by=agent")).data;
    assert.equal(named.find(({ key }: AnyJson) => key === agent.id).name, "Reporter");
    const narrow = await berth.client({ scopes: "agents:read" });
    assertError(await narrow.get("/usage"), 403, "permission_error", { message: /sessions:read/ });
  },
);

covers(["usage-totals"], "usage: a runner that is killed in a turn loses and doubles nothing", async () => {
  const carol = await berth.client({ user: "carol@example.com", org: "crashed" });
  const session = await makeSession(carol);
  await carol.ok("POST", `/sessions/${session.id}/events`, {
    events: [steps({ say: "one" }, bash("sleep 60"), { say: "two" })],
  });
  await readEventsUntil(carol, session.id, ({ type }) => type === "agent.tool_use");
  const { total } = await carol.ok("GET", "/usage");
  assert.deepEqual([total.usage, total.turns], [sumOf(await sessionsOf(carol)), 0], "in the turn");
  assert.ok(total.usage.output_tokens > 0);
  killRunners(berth);
  await readEventsUntil(carol, session.id, ({ type }) => type === "session.status_idle");
  await checkTotals(carol, 1);
});

covers(["usage-range"], "usage: days with both ends, and requests that are no report", async () => {
  const dan = await berth.client({ user: "dan@example.com", org: "dated" });
  const before = new Date().toISOString().slice(0, 10);
  await runTurn(dan, (await makeSession(dan)).id, { say: "today" });
  const { from, to, group_by, data } = await dan.ok("GET", "/usage");
  assert.equal((Date.parse(to) - Date.parse(from)) / 86_400_000, 29);
  assert.equal(group_by, "day");
  assert.equal(data.length, 1);
  assert.ok(data[0].key >= before && data[0].key <= to);
  const day = data[0].key;
  assert.equal((await dan.ok("GET", `/usage?from=${day}&to=${day}`)).total.turns, 1);
  const earlier = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
  assert.equal((await dan.ok("GET", `/usage?to=${earlier}`)).total.turns, 0);
  for (const [query, param] of [
    ["from=yesterday", "from"],
    ["to=2026-02-30", "to"],
    ["from=2026-02-02&to=2026-02-01", "from"],
    ["from=2025-01-30&to=2026-01-31", "from"],
    ["group_by=week", "group_by"],
    ["by=day", "by"],
  ] as const)
    assertError(await dan.get(`/usage?${query}`), 400, "invalid_request_error", { param });
});

covers(["usage-of-deleted"], "usage: what deleted sessions and erased users used stays", async () => {
  const org = "keeping";
  const fay = await berth.client({ user: "fay@example.com", org });
  const admin = await berth.client({ user: "boss@example.com", org, role: "admin" });
  for (const caller of [fay, fay, admin])
    await runTurn(caller, (await makeSession(caller)).id, { say: "bye" });
  const { total } = await admin.ok("GET", "/usage");
  assert.deepEqual([total.sessions, total.turns], [3, 3]);
  const [gone] = await sessionsOf(fay);
  await fay.ok("DELETE", `/sessions/${gone.id}`);
  assert.deepEqual((await admin.ok("GET", "/usage")).total, total);
  const receipt = JSON.parse(
    await berth.command("admin", "erase", "--user", berth.nameOf("fay@example.com"), "--json"),
  );
  assert.ok(receipt.completed_at, JSON.stringify(receipt));
  const report = await admin.ok("GET", "/usage?group_by=user");
  assert.deepEqual(report.total, total);
  assert.deepEqual(
    report.data.map(({ key, name, sessions }: AnyJson) => [key?.slice(0, 4) ?? null, name, sessions]),
    [
      [null, null, 2],
      ["usr_", berth.nameOf("boss@example.com"), 1],
    ],
  );
});
