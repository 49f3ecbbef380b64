// Subject: the route of usage. The content of its rows is the subject of usage.property.test.ts.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newUuid, parseId, type UsageReport } from "@berth/contract";
import { type Caller, testApp } from "../../../test-support/http.ts";
import { seedUsage } from "../../../test-support/usage.ts";

const MODELS = {
  get: () => ({ contextWindow: 1_000 }),
  list: () => [],
  defaultModel: null,
  totalCost: (id: string) => (id === "local/free" ? null : 0.1),
};

async function reportOf(caller: Caller, query = ""): Promise<UsageReport> {
  const { status, body, text } = await caller.get(`/usage${query}`);
  assert.equal(status, 200, text);
  return body;
}

async function subjects(caller: Caller): Promise<{ organization_id: string; owner_id: string }> {
  const { principal, organization } = (await caller.get("/whoami")).body;
  return {
    organization_id: parseId("organization", organization.id) ?? "",
    owner_id: parseId("user", principal.id) ?? "",
  };
}

describe("usage", () => {
  test("days that are not given: the last 30 days, of which the last is today in UTC", async (t) => {
    const { caller, db } = await testApp(t);
    const owner = await caller();
    const { rows } = await db.read.query<{ today: string; first: string }>({
      text: `select (now() at time zone 'utc')::date::text as today, ((now() at time zone 'utc')::date - 29)::text as first`,
    });
    const { from, to, group_by, data, total, has_more } = await reportOf(owner);
    assert.deepEqual([from, to, group_by], [rows[0]?.first, rows[0]?.today, "day"]);
    assert.deepEqual([data, has_more, total.sessions, total.list_cost_usd], [[], false, 0, 0]);
    assert.equal((await reportOf(owner, "?to=2026-03-01")).from, "2026-01-31");
  });

  test("both ends are in the report, and days are in their order", async (t) => {
    const { caller, db } = await testApp(t);
    const owner = await caller();
    const who = await subjects(owner);
    for (const day of ["2026-02-03", "2026-02-01", "2026-01-31", "2026-02-04"])
      await seedUsage(db.write, { ...who, day });
    const { data, total } = await reportOf(owner, "?from=2026-02-01&to=2026-02-03");
    assert.deepEqual(
      data.map(({ key, name, turns }) => [key, name, turns]),
      [
        ["2026-02-01", null, 1],
        ["2026-02-03", null, 1],
      ],
    );
    assert.equal(total.turns, 2);
  });

  test("a session of several days is counted once in all, and on each of them", async (t) => {
    const { caller, db } = await testApp(t);
    const owner = await caller();
    const who = { ...(await subjects(owner)), session_id: newUuid(), agent_id: newUuid() };
    await seedUsage(db.write, { ...who, day: "2026-02-01", active_ms: 1_234 });
    await seedUsage(db.write, { ...who, day: "2026-02-02", previous_day: "2026-02-01", active_ms: 1_234 });
    const days = await reportOf(owner, "?from=2026-02-01&to=2026-02-28");
    assert.deepEqual([days.total.sessions, days.data.map(({ sessions }) => sessions)], [1, [1, 1]]);
    assert.equal(days.total.active_seconds, 2.468);
    const [agent] = (await reportOf(owner, "?from=2026-02-01&to=2026-02-28&group_by=agent")).data;
    assert.deepEqual([agent?.sessions, agent?.turns], [1, 2]);
    const second = await reportOf(owner, "?from=2026-02-02&to=2026-02-28&group_by=agent");
    assert.deepEqual([second.total.sessions, second.data[0]?.sessions, second.total.turns], [1, 1, 1]);
  });

  test("groups have names, and are in the order of their cost", async (t) => {
    const { caller, db } = await testApp(t, { models: MODELS });
    const owner = await caller();
    const { organization_id, owner_id } = await subjects(owner);
    const agent = await owner.made("/agents", { name: "Old", model: "a/b" });
    await owner.made(`/agents/${agent.id}`, { version: 1, name: "New" });
    const environment = await owner.made("/environments", { name: "box" });
    const own = {
      ...{ organization_id, owner_id, day: "2026-02-01", agent_id: parseId("agent", agent.id) ?? "" },
      environment_id: parseId("environment", environment.id) ?? "",
    };
    await seedUsage(db.write, { ...own, model: "local/free", input_tokens: 7 });
    await seedUsage(db.write, { ...own, model: "a/b" });
    await seedUsage(db.write, { ...own, owner_id: organization_id, model: "a/c", input_tokens: 2 });
    const namesBy = async (group: string) => {
      const report = await reportOf(owner, `?to=2026-02-01&group_by=${group}`);
      return report.data.map(({ key, name }) => [key, name]);
    };
    assert.deepEqual(await namesBy("agent"), [[agent.id, "New"]]);
    assert.deepEqual(await namesBy("environment"), [[environment.id, "box"]]);
    assert.deepEqual(await namesBy("model"), [
      ["a/c", null],
      ["a/b", null],
      ["local/free", null],
    ]);
    assert.deepEqual(
      (await namesBy("user")).map(([key, name]) => [key?.slice(0, 4), name]),
      [
        ["usr_", "owner@example.com"],
        ["org_", "default"],
      ],
    );
    const { total } = await reportOf(owner, "?to=2026-02-01");
    assert.deepEqual([total.list_cost_usd, total.unpriced_tokens], [0.2, 7]);
  });

  test("more groups than are listed: those with the most tokens, and the total of all", async (t) => {
    const { caller, db } = await testApp(t);
    const owner = await caller();
    const { organization_id, owner_id } = await subjects(owner);
    await db.write.query({
      text: `insert into session_usage
        select gen_random_uuid(), '2026-02-01', null, $1, $2, gen_random_uuid(), $1, 'a/b', 1, 1, n, 0, 0, 0
        from generate_series(1, 1001) as n`,
      values: [organization_id, owner_id],
    });
    const { data, total, has_more } = await reportOf(owner, "?to=2026-02-01&group_by=agent");
    assert.deepEqual([data.length, has_more, total.sessions], [1_000, true, 1_001]);
    assert.deepEqual([data[0]?.usage.input_tokens, data.at(-1)?.usage.input_tokens], [1_001, 2]);
    assert.equal((await reportOf(owner, "?to=2026-02-01&group_by=environment")).has_more, false);
  });

  test("what is not a report: 400 with the parameter", async (t) => {
    const { caller } = await testApp(t);
    const owner = await caller();
    const NOT_A_DAY = (name: string) => `Field '${name}' must be a day, such as '2026-01-31'.`;
    const BEFORE = "Field 'from' must not be before 2025-01-31: a report has at most 366 days.";
    for (const [query, param, message] of [
      ["from=yesterday", "from", NOT_A_DAY("from")],
      ["to=2026-02-30", "to", NOT_A_DAY("to")],
      ["to=2026-02-01T00:00:00Z", "to", NOT_A_DAY("to")],
      ["from=0000-01-01", "from", NOT_A_DAY("from")],
      ["from=2026-02-02&to=2026-02-01", "from", "Field 'from' must not be after the last day, 2026-02-01."],
      ["from=2025-01-30&to=2026-01-31", "from", BEFORE],
      [
        "group_by=week",
        "group_by",
        "Field 'group_by' must be one of 'day', 'agent', 'user', 'model', 'environment'.",
      ],
      ["days=3", "days", "Unknown field 'days'."],
    ] as const) {
      const { status, body } = await owner.get(`/usage?${query}`);
      assert.deepEqual([status, body.error?.param, body.error?.message], [400, param, message], query);
    }
    const { status, body } = await owner.get("/usage?from=9999-01-01");
    assert.equal(status, 400);
    assert.match(body.error.message, /^Field 'from' must not be after the last day, 20\d\d-\d\d-\d\d\.$/);
    assert.equal((await reportOf(owner, "?from=2025-01-31&to=2026-01-31")).from, "2025-01-31");
  });
});
