// Subject: outcomes of a session's last turn, and the list by last activity.
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { parseId, type StopReason } from "@berth/contract";
import {
  appendIdle,
  appendPlacement,
  appendRunning,
  type PlacementOutcome,
} from "@berth/runs/test-support/internals/lease";
import { seedLease } from "@berth/store/test-support/runs";
import fc from "fast-check";
import { type Caller, testApp, type Wire } from "../../../test-support/http.ts";

async function house(t: TestContext) {
  const app = await testApp(t);
  const owner = await app.caller();
  const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
  const environment = await owner.made("/environments", { name: "e" });
  const base = { agent: agent.id, environment_id: environment.id };
  const uuid = (id: string) => parseId("session", id) ?? assert.fail(id);
  const begin = async (id: string) => {
    const lease = await seedLease(app.db.write, uuid(id), "own");
    await appendRunning(app.db.write, lease);
    return lease;
  };
  return {
    ...app,
    owner,
    base,
    begin,
    make: async () => (await owner.made("/sessions", base)).id as string,
    /** Runs a turn that ends with this stop reason. */
    turn: async (id: string, stop_reason: StopReason) => {
      const lease = await begin(id);
      await appendIdle(app.db.write, lease, [{ event: { type: "session.status_idle", stop_reason } }]);
    },
    touch: async (id: string, at: string) => {
      await app.db.write.query({
        text: "update sessions set updated_at = $2 where id = $1",
        values: [uuid(id), at],
      });
    },
  };
}

async function ids(who: Caller, query: string): Promise<string[]> {
  const { status, body, text } = await who.get(`/sessions?${query}`);
  assert.equal(status, 200, text);
  return body.data.map(({ id }: Wire) => id);
}

/** Returns the ids of all pages of a list. Calls `between` after each page. */
async function walk(who: Caller, query: string, between = async (_page: number) => {}): Promise<string[]> {
  const seen: string[] = [];
  for (let page = 0, next: string | null = ""; next !== null; page++) {
    const { status, body, text } = await who.get(`/sessions?${query}${next === "" ? "" : `&page=${next}`}`);
    assert.equal(status, 200, text);
    seen.push(...body.data.map(({ id }: Wire) => id));
    next = body.next_page;
    await between(page);
  }
  return seen;
}

describe("last turn", () => {
  test("each way in which a turn ends is shown and found, until the next turn runs", async (t) => {
    const { owner, make, turn, begin } = await house(t);
    const ends: StopReason[] = [
      { type: "end_turn" },
      { type: "retries_exhausted" },
      { type: "cancelled" },
      { type: "refusal" },
      { type: "max_turns" },
      { type: "requires_action", event_ids: [] },
    ];
    const fresh = await make();
    assert.equal((await owner.get(`/sessions/${fresh}`)).body.last_turn, null);
    for (const stop of ends) {
      const before = new Date().toISOString();
      const id = await make();
      await turn(id, stop);
      const { last_turn: last } = (await owner.get(`/sessions/${id}`)).body;
      assert.equal(last.outcome, stop.type);
      assert.ok(
        last.ended_at >= before.slice(0, 19) && last.ended_at <= new Date(Date.now() + 1_000).toISOString(),
      );
      assert.deepEqual(await ids(owner, `outcomes[]=${stop.type}`), [id]);
      assert.deepEqual(await ids(owner, `outcomes[]=none&outcomes[]=${stop.type}`), [id, fresh]);
      await begin(id);
      assert.deepEqual(await ids(owner, `outcomes[]=${stop.type}`), [], "it runs again");
      const again = (await owner.get(`/sessions/${id}`)).body;
      assert.deepEqual([again.status, again.last_turn], ["running", last], "the turn before");
    }
    assert.equal((await owner.get("/sessions?outcomes[]=idle")).body.error.param, "outcomes[0]");
  });

  test("what ends no turn changes nothing; a termination ends the turn that runs, and no other", async (t) => {
    const { owner, make, turn, begin, db } = await house(t);
    const [interrupted, running, resting] = [await make(), await make(), await make()];
    const lastTurn = async (id: string) => (await owner.get(`/sessions/${id}`)).body.last_turn;
    await turn(interrupted, { type: "max_turns" });
    const last = await lastTurn(interrupted);
    await appendIdle(db.write, await seedLease(db.write, parseId("session", interrupted) ?? "", "other"), []);
    assert.deepEqual(await lastTurn(interrupted), last);
    await turn(running, { type: "end_turn" });
    await begin(running);
    await owner.post(`/sessions/${running}/terminate`);
    assert.equal((await lastTurn(running)).outcome, "terminated");
    await owner.post(`/sessions/${resting}/terminate`);
    assert.equal(await lastTurn(resting), null);
    assert.deepEqual(await ids(owner, "outcomes[]=end_turn&outcomes[]=none"), [], "they are not idle");
  });
});

describe("failed clones", () => {
  test("the resource says why, and the session is found, until the clone is tried again or is in place", async (t) => {
    const { owner, base, db } = await house(t);
    const url = "https://github.com/octo/hello";
    const resources = ["/data/a", "/data/b"].map((mount_path) => ({
      type: "hosted_repository",
      url,
      mount_path,
    }));
    const { id } = await owner.made("/sessions", { ...base, resources });
    const repositories = async (): Promise<Wire[]> => (await owner.get(`/sessions/${id}`)).body.resources;
    const [one, two] = (await repositories()).map((resource) => resource.id as string);
    const place = async (resource: string | undefined, outcome: PlacementOutcome) => {
      const lease = await seedLease(db.write, parseId("session", id) ?? "", "own");
      await appendPlacement(db.write, lease, [], parseId("session_resource", resource ?? "") ?? "", outcome);
    };
    const failed = {
      type: "failed",
      failure: "There is no such repository.",
      inputs: "x",
      attempts: 0,
    } as const;
    const errors = async () => (await repositories()).map(({ error }) => error?.message ?? null);
    const found = async () => (await ids(owner, "repository_failed=true")).length;
    assert.deepEqual([await errors(), await found()], [[null, null], 0]);
    await place(one, failed);
    await place(two, { ...failed, failure: "No." });
    assert.deepEqual([await errors(), await found()], [[failed.failure, "No."], 1]);
    const listed = (await owner.get("/sessions?sort=updated_at&repository_failed=true")).body.data;
    assert.ok(Date.parse(listed[0].resources[0].error.failed_at) > 0);
    assert.equal((await owner.post(`/sessions/${id}/resources/${one}`, { retry: true })).status, 200);
    assert.deepEqual([await errors(), await found()], [[null, "No."], 1], "it is tried again");
    await place(one, failed);
    await place(two, { type: "ready", commit: null });
    assert.deepEqual([await errors(), await found()], [[failed.failure, null], 1]);
    await place(one, { type: "ready", commit: null });
    assert.deepEqual([await errors(), await found()], [[null, null], 0]);
  });
});

describe("sessions by last activity", () => {
  test("pages equal slices of the sorted list, for any times, limit, bounds, outcomes and archived ones", async (t) => {
    const { owner, make, turn, touch, db, caller } = await house(t);
    const made = await Promise.all(Array.from({ length: 24 }, make));
    for (const [index, id] of made.entries()) {
      if (index % 3 === 0) await turn(id, { type: "end_turn" });
      if (index % 5 === 0) await owner.post(`/sessions/${id}/archive`);
    }
    const admin = await caller({ email: "admin@example.com", role: "admin" });
    const other = await caller({ email: "other@example.com" });
    const timeOf = (n: number) => new Date(Date.UTC(2026, 0, 1) + n).toISOString();
    const scenario = fc.record({
      times: fc.array(fc.nat(9), { minLength: 24, maxLength: 24 }),
      limit: fc.constantFrom(1, 2, 5, 23, 24, 100),
      from: fc.option(fc.nat(9)),
      until: fc.option(fc.nat(9)),
      archived: fc.boolean(),
      done: fc.boolean(),
      reader: fc.constantFrom(owner, admin),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ times, limit, from, until, archived, done, reader }) => {
        for (const [index, id] of made.entries()) await touch(id, timeOf(times[index] ?? 0));
        const expected = made
          .map((id, index) => ({ id, index, time: times[index] ?? 0 }))
          .filter(({ index }) => (archived || index % 5 !== 0) && (!done || index % 3 === 0))
          .filter(({ time }) => (from === null || time >= from) && (until === null || time < until))
          .toSorted((one, two) => two.time - one.time || (one.id < two.id ? 1 : -1))
          .map(({ id }) => id);
        const query = [
          `sort=updated_at&limit=${limit}&include_archived=${archived}`,
          ...(done ? ["outcomes[]=end_turn"] : []),
          ...(from === null ? [] : [`updated_at[gte]=${timeOf(from)}`]),
          ...(until === null ? [] : [`updated_at[lt]=${timeOf(until)}`]),
        ].join("&");
        assert.deepEqual(await walk(reader, query), expected);
      }),
      { numRuns: 25 },
    );
    assert.deepEqual(await ids(other, "sort=updated_at&include_archived=true"), [], "of somebody else");
    const { rows } = await db.read.query({ text: "select from sessions" });
    assert.equal(rows.length, made.length);
  });

  test("what moves to the front between two pages is not missed by those behind, and comes no second time", async (t) => {
    const { owner, make, touch } = await house(t);
    const made = await Promise.all(Array.from({ length: 9 }, make));
    // The times differ by less than a millisecond.
    for (const [index, id] of made.entries()) await touch(id, `2026-01-01T00:00:00.00000${index}Z`);
    const behind = made.toReversed();
    const seen = await walk(owner, "sort=updated_at&limit=2", async (page) => {
      // One is the last shown session, which the cursor names; the other was not shown yet.
      if (page === 0) for (const id of [behind[1], behind[5]]) await touch(id ?? "", "2026-01-02T00:00:00Z");
    });
    assert.deepEqual(
      seen,
      behind.filter((id) => id !== behind[5]),
    );
    assert.deepEqual(
      (await ids(owner, "sort=updated_at")).slice(0, 2).toSorted(),
      [behind[1], behind[5]].toSorted(),
    );
  });

  test("filters are combined; what fits only the other order is rejected with its name", async (t) => {
    const { owner, make, turn, touch } = await house(t);
    const [one, two, three] = [await make(), await make(), await make()];
    await touch(three, "2026-01-01T00:00:00Z");
    await touch(one, "2026-01-02T00:00:00Z");
    await touch(two, "2026-01-03T00:00:00Z");
    assert.deepEqual(await ids(owner, "sort=updated_at"), [two, one, three]);
    assert.deepEqual(await ids(owner, "sort=created_at"), [three, two, one]);
    await turn(three, { type: "refusal" });
    const { owner_id, environment_id, agent } = (await owner.get(`/sessions/${one}`)).body;
    const all = `sort=updated_at&owner_id=${owner_id}&environment_id=${environment_id}&agent_id=${agent.id}`;
    assert.deepEqual(await ids(owner, all), [three, two, one], "its turn was the last that happened");
    assert.deepEqual(await ids(owner, `${all}&outcomes[]=refusal&statuses[]=idle`), [three]);
    assert.deepEqual(await ids(owner, `${all}&statuses[]=running`), []);
    for (const [query, param] of [
      [`sort=updated_at&after_id=${one}`, "after_id"],
      [`sort=updated_at&before_id=${one}`, "before_id"],
      ["sort=updated_at&created_at[gte]=2026-01-01T00:00:00Z", "created_at[gte]"],
      ["updated_at[lt]=2026-01-01T00:00:00Z", "updated_at[lt]"],
      ["sort=created_at&updated_at[gte]=2026-01-01T00:00:00Z", "updated_at[gte]"],
      ["sort=title", "sort"],
    ] as const) {
      const { status, body } = await owner.get(`/sessions?${query}`);
      assert.deepEqual([status, body.error?.param], [400, param], query);
    }
    const { body } = await owner.get("/sessions?sort=updated_at&limit=1");
    for (const query of ["limit=1", "sort=updated_at&limit=1&outcomes[]=none"])
      assert.equal((await owner.get(`/sessions?${query}&page=${body.next_page}`)).status, 400, query);
  });
});
