// Subject: pages of lists whose rows are large.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatId, parseId } from "@berth/contract";
import { assembled, condition, fitting, measured } from "@berth/store/db";
import { testDatabase } from "@berth/store/test-support/database";
import { PAGE_BYTES } from "@berth/store/test-support/internals/db";
import fc from "fast-check";
import { type Caller, testApp, type Wire } from "../../test-support/http.ts";

interface SizedRow {
  seq: number;
  bytes: number;
}

test("pages together have all rows, in order, for any sizes, bound, limit and direction", async (t) => {
  const db = await testDatabase(t);
  const read = async (sizes: readonly number[], after: number, limit: number, most: number) => {
    const page = condition(
      "select seq::integer, size from unnest(?::integer[]) with ordinality as row (size, seq) where seq > ? order by seq limit ?",
      sizes,
      after,
      limit + 1,
    );
    return (await db.read.query<SizedRow>(assembled([measured(page, "size", "seq asc", most)]))).rows;
  };
  const size = fc.oneof(fc.constant(0), fc.nat(3), fc.integer({ min: 90, max: 110 }), fc.nat(1_000));
  const scenario = fc.record({
    sizes: fc.array(size, { maxLength: 30 }),
    limit: fc.constantFrom(1, 2, 5, 100),
    most: fc.constantFrom(0, 1, 100, 101, 500, 100_000),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ sizes, limit, most }) => {
      const seen: SizedRow[] = [];
      for (let more = true; more; ) {
        const rows = await read(sizes, seen.at(-1)?.seq ?? 0, limit, most);
        const page = fitting(rows, limit, most);
        const total = page.reduce((sum, { bytes }) => sum + bytes, 0);
        assert.ok(page.length <= limit && (total <= most || page.length === 1), JSON.stringify(page));
        const sent = rows.reduce((sum, { bytes }) => sum + bytes, 0);
        assert.ok(sent <= most + 2 * Math.max(0, ...sizes), "what does not fit is not sent by the database");
        more = rows.length > page.length;
        assert.ok(!more || page.length > 0, "a page that is followed by another gets on");
        const next = sizes[page.at(-1)?.seq ?? 0];
        if (more && page.length < limit && next !== undefined)
          assert.ok(total + next > most, "a page that ends early would be too large with the next row");
        seen.push(...page);
      }
      assert.deepEqual(
        seen.map(({ bytes }) => bytes),
        sizes,
      );
    }),
    { numRuns: 150 },
  );
});

const JSON_LIMIT = { jsonLimit: 4_194_304 };

/** Follows `next_page` to the end, and returns all pages. */
async function walk(caller: Caller, list: string, query: string): Promise<Wire[][]> {
  const pages: Wire[][] = [];
  for (let next: string | null = ""; next !== null; ) {
    const asked = next === "" ? query : `${query.replace(/&(after|before)_id=.*/, "")}&page=${next}`;
    const { status, text, body } = await caller.get(`${list}?${asked}`);
    assert.equal(status, 200, text.slice(0, 300));
    const ids = body.data.map(({ id }: Wire) => id);
    assert.deepEqual([body.first_id, body.last_id], [ids[0] ?? null, ids.at(-1) ?? null]);
    assert.equal(body.has_more, body.next_page !== null);
    assert.ok(
      text.length <= PAGE_BYTES * 1.1 || ids.length === 1,
      `${ids.length} rows, ${text.length} bytes`,
    );
    pages.push(ids);
    next = body.next_page;
  }
  return pages;
}

/** Asserts all pages in both directions, from the ends and from an anchor in the middle. */
async function assertAllPages(caller: Caller, list: string, ids: readonly string[], query: string) {
  const all = await walk(caller, list, `${query}limit=100`);
  assert.deepEqual(all.flat(), ids);
  assert.ok(all.length > 1, "the rows take several pages");
  const at = Math.floor(ids.length / 2);
  const after = await walk(caller, list, `${query}limit=100&after_id=${ids[at]}`);
  assert.deepEqual(after.flat(), ids.slice(at + 1));
  const before = await walk(caller, list, `${query}limit=100&before_id=${ids[at]}`);
  assert.deepEqual(before.toReversed().flat(), ids.slice(0, at));
}

test("events of megabytes, one larger than a page → pages of a few, in both orders and directions", async (t) => {
  const { db, caller } = await testApp(t, JSON_LIMIT);
  const owner = await caller();
  const { id } = await owner.made(
    "/sessions",
    await sessionOf(owner, { name: "a", model: "rehearsal/steps" }),
  );
  const bytes = [
    10, 3_900_000, 10, 1_500_000, 1_500_000, 1_500_000, 6_000_000, 10, 2_000_000, 10, 3_900_000, 10,
  ];
  await db.write.query({
    text: `insert into events (session_id, seq, id, type, body)
      select $1, 100 + seq, gen_random_uuid(), 'user.message', '{"x":"' || repeat('a', size) || '"}'
      from unnest($2::integer[]) with ordinality as event (size, seq)`,
    values: [parseId("session", id), bytes],
  });
  const { rows } = await db.read.query<{ id: string }>({
    text: "select id from events where session_id = $1 order by seq",
    values: [parseId("session", id)],
  });
  const ids = rows.map((row) => formatId("event", row.id));
  await assertAllPages(owner, `/sessions/${id}/events`, ids, "order=asc&");
  await assertAllPages(owner, `/sessions/${id}/events`, ids.toReversed(), "order=desc&");
});

test("agents, their versions and sessions of large agents → pages of a few", async (t) => {
  const { caller } = await testApp(t, JSON_LIMIT);
  const owner = await caller();
  const agents: string[] = [];
  for (let n = 0; n < 7; n++) agents.unshift((await owner.made("/agents", { ...LARGE, name: `a${n}` })).id);
  await assertAllPages(owner, "/agents", agents, "");
  const agent = agents[0] ?? "";
  for (let version = 1; version < 7; version++)
    await owner.made(`/agents/${agent}`, { version, name: `changed${version}` });
  const versions: number[] = [];
  for (let next: string | null = ""; next !== null; ) {
    const query: string = next === "" ? "" : `&page=${next}`;
    const { body } = await owner.get(`/agents/${agent}/versions?limit=100${query}`);
    assert.ok(body.data.length < 7);
    versions.push(...body.data.map(({ version }: Wire) => version));
    next = body.next_page;
  }
  assert.deepEqual(versions, [7, 6, 5, 4, 3, 2, 1]);
  const sessions: string[] = [];
  const input = await sessionOf(owner, agent);
  for (let n = 0; n < 7; n++) sessions.unshift((await owner.made("/sessions", input)).id);
  await assertAllPages(owner, "/sessions", sessions, "");
  await assertAllPages(owner, "/sessions", sessions, `agent_id=${agent}&`);
  const active = await walk(owner, "/sessions", "sort=updated_at&limit=100");
  assert.ok(active.length > 1);
  assert.deepEqual(active.flat(), sessions);
});

test("environments with large variables → pages of a few, also among registered resources", async (t) => {
  const { caller } = await testApp(t, JSON_LIMIT);
  const owner = await caller();
  const variables = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`V${n}`, "v".repeat(32_000)]));
  const environments: string[] = [];
  for (let n = 0; n < 5; n++) {
    const { id } = await owner.made("/environments", { name: `e${n}`, environment_variables: variables });
    environments.unshift(id);
    const registered = { type: "environment", resource: { id } };
    assert.equal((await owner.post("/api/v1/forward/resources/registry", registered)).status, 201);
  }
  await assertAllPages(owner, "/environments", environments, "");
  const forward = "/api/v1/forward/resources?type=environment&limit=100";
  const newest = (await owner.get(forward)).body;
  assert.deepEqual([newest.data.length, newest.has_more], [2, true]);
  const rest = (await owner.get(`${forward}&after_id=${newest.last_id}`)).body;
  const last = (await owner.get(`${forward}&after_id=${rest.last_id}`)).body;
  const all = [newest, rest, last].flatMap(({ data }) => data.map(({ id }: Wire) => id));
  assert.deepEqual([all, last.has_more], [environments, false]);
  const back = (await owner.get(`${forward}&before_id=${environments.at(-1)}`)).body;
  assert.deepEqual([back.data.map(({ id }: Wire) => id), back.has_more], [environments.slice(2, 4), true]);
});

/** An agent that is nearly as large as allowed. */
const LARGE = {
  model: "rehearsal/steps",
  tools: Array.from({ length: 15 }, (_, n) => ({
    type: "custom",
    name: `tool${n}`,
    description: "d",
    input_schema: { type: "object", description: "x".repeat(64_000) },
  })),
};

async function sessionOf(owner: Caller, agent: string | object) {
  const id = typeof agent === "string" ? agent : (await owner.made("/agents", agent)).id;
  const environment = await owner.made("/environments", { name: "of sessions" });
  return { agent: { type: "agent", id }, environment_id: environment.id };
}

test("an agent that is too large → 400 that names the largest field, at creation and as a change", async (t) => {
  const { caller } = await testApp(t, JSON_LIMIT);
  const owner = await caller();
  const tools = [...LARGE.tools, ...LARGE.tools].map((tool, n) => ({ ...tool, name: `t${n}` }));
  const created = await owner.post("/agents", { ...LARGE, name: "a", tools });
  assert.deepEqual([created.status, created.body.error.param], [400, "tools"], created.text);
  assert.match(
    created.body.error.message,
    /the maximum is 1048576\. Its largest field, 'tools', has \d+ bytes\.$/,
  );
  const { id } = await owner.made("/agents", { ...LARGE, name: "a" });
  const system = "\u{10000}".repeat(50_000);
  const changed = await owner.post(`/agents/${id}`, { version: 1, system });
  assert.deepEqual([changed.status, changed.body.error.param], [400, "tools"]);
  assert.equal((await owner.get(`/agents/${id}`)).body.version, 1);
});
