// Subject: what each user has seen, which sessions are on their desk, and the lists of both.
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { parseId, type StopReason } from "@berth/contract";
import { appendIdle, appendRunning } from "@berth/runs/test-support/internals/lease";
import { seedLease } from "@berth/store/test-support/runs";
import fc from "fast-check";
import { type Caller, testApp, type Wire } from "../../../../test-support/http.ts";

const MESSAGE = { type: "user.message", content: [{ type: "text", text: "Hello." }] };
const NEWS = ["end_turn", "retries_exhausted", "refusal", "max_turns", "requires_action"] as const;

async function house(t: TestContext) {
  const app = await testApp(t);
  const owner = await app.caller();
  const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
  const environment = await owner.made("/environments", { name: "e" });
  const uuid = (id: string) => parseId("session", id) ?? assert.fail(id);
  return {
    ...app,
    owner,
    uuid,
    async make() {
      return (await owner.made("/sessions", { agent: agent.id, environment_id: environment.id }))
        .id as string;
    },
    /** Runs a turn that ends with this outcome. */
    async turn(id: string, outcome: StopReason["type"]) {
      const lease = await seedLease(app.db.write, uuid(id), "own");
      await appendRunning(app.db.write, lease);
      const stop_reason = { type: outcome, event_ids: [] } as unknown as StopReason;
      await appendIdle(app.db.write, lease, [{ event: { type: "session.status_idle", stop_reason } }]);
    },
  };
}

async function list(who: Caller, query: string): Promise<string[]> {
  const { status, body, text } = await who.get(`/sessions?${query}`);
  assert.equal(status, 200, text);
  return body.data.map(({ id }: Wire) => id);
}

const send = (who: Caller, id: string) => who.post(`/sessions/${id}/events`, { events: [MESSAGE] });
const isUnseen = async (who: Caller, id: string) => (await who.get(`/sessions/${id}`)).body.unseen as boolean;

describe("unseen", () => {
  test("each outcome that nobody caused marks it, once more each time; seeing it and answering it end that", async (t) => {
    const { owner, make, turn, db, uuid } = await house(t);
    const id = await make();
    assert.equal(await isUnseen(owner, id), false);
    for (const outcome of NEWS) {
      await turn(id, outcome);
      assert.equal(await isUnseen(owner, id), true, outcome);
      for (const again of [1, 2]) {
        const { status, body } = await owner.post(`/sessions/${id}/seen`);
        assert.deepEqual([status, body.id, body.unseen], [200, id, false], `${outcome} ${again}`);
      }
      assert.deepEqual(await list(owner, "unseen=true"), []);
    }
    await turn(id, "end_turn");
    await send(owner, id);
    assert.equal(await isUnseen(owner, id), false, "whoever writes has seen it");
    await turn(id, "cancelled");
    assert.equal(await isUnseen(owner, id), false, "somebody interrupted it");
    for (const again of [1, 2]) {
      const { status, body } = await owner.delete(`/sessions/${id}/seen`);
      assert.deepEqual([status, body.unseen], [200, true], `${again}`);
    }
    await owner.post(`/sessions/${id}/seen`);
    await db.write.query({
      text: "update sessions set repository_failed = true where id = $1",
      values: [uuid(id)],
    });
    assert.equal(await isUnseen(owner, id), true, "a clone has failed");
  });

  test("archived and ended sessions are on no list, and take no mark", async (t) => {
    const { owner, make, turn } = await house(t);
    for (const [verb, status] of [
      ["archive", 403],
      ["terminate", 409],
    ] as const) {
      const id = await make();
      await turn(id, "end_turn");
      assert.equal((await owner.post(`/sessions/${id}/${verb}`)).body.unseen, false, verb);
      assert.deepEqual(await list(owner, "unseen=true&include_archived=true"), []);
      assert.equal((await owner.delete(`/sessions/${id}/seen`)).status, status);
      assert.equal((await owner.post(`/sessions/${id}/seen`)).status, 200);
    }
  });

  test("the marks of others: who wrote has an own one, who may only read has none until they make it", async (t) => {
    const { owner, caller, make, turn, db } = await house(t);
    const [writer, reader, stranger, admin, account] = [
      await caller({ email: "writer@example.com" }),
      await caller({ email: "reader@example.com" }),
      await caller({ email: "stranger@example.com" }),
      await caller({ email: "admin@example.com", role: "admin" }),
      await caller({ email: "bot", kind: "sat" }),
    ];
    const id = await make();
    await owner.made(`/sessions/${id}/share`, { user: "writer@example.com", access: "write" });
    await owner.made(`/sessions/${id}/share`, { user: "reader@example.com" });
    const marks = async () =>
      await Promise.all([owner, writer, reader, admin].map((who) => isUnseen(who, id)));
    const desks = async () =>
      await Promise.all(
        [owner, writer, reader, admin].map(async (who) => (await list(who, "mine=true")).length),
      );
    await turn(id, "end_turn");
    assert.deepEqual(
      [await marks(), await desks()],
      [
        [true, false, false, false],
        [1, 0, 0, 0],
      ],
    );
    await send(writer, id);
    assert.deepEqual(
      [await marks(), await desks()],
      [
        [true, false, false, false],
        [1, 1, 0, 0],
      ],
    );
    await turn(id, "requires_action");
    assert.deepEqual(await marks(), [true, true, false, false]);
    await owner.post(`/sessions/${id}/seen`);
    assert.deepEqual(await marks(), [false, true, false, false]);
    assert.equal((await reader.post(`/sessions/${id}/seen`)).body.unseen, false);
    assert.deepEqual(await desks(), [1, 1, 0, 0], "seeing it puts it on no desk");
    assert.equal((await reader.delete(`/sessions/${id}/seen`)).body.unseen, true);
    assert.deepEqual(
      [await marks(), await desks()],
      [
        [false, true, true, false],
        [1, 1, 1, 0],
      ],
    );
    for (const sort of ["", "&sort=updated_at"]) {
      assert.deepEqual(await list(reader, `unseen=true${sort}`), [id]);
      assert.deepEqual(await list(reader, `unseen=true&outcomes[]=requires_action${sort}`), [id]);
      assert.deepEqual(await list(reader, `unseen=true&outcomes[]=end_turn${sort}`), []);
    }

    await owner.delete(`/sessions/${id}/share?user=writer@example.com`);
    assert.deepEqual(await list(writer, "mine=true"), [], "it is shared no longer");
    assert.deepEqual(await list(writer, "unseen=true&sort=updated_at"), []);

    for (const method of ["post", "delete"] as const) {
      assert.equal((await stranger[method](`/sessions/${id}/seen`)).status, 403);
      assert.equal((await owner[method](`/sessions/${id.slice(0, -4)}0000/seen`)).status, 404);
      const refused = await account[method](`/sessions/${id}/seen`);
      assert.equal(refused.status, 401, refused.text);
    }
    assert.deepEqual(await list(account, "mine=true"), []);
    const { rows } = await db.read.query({
      text: "select from audit_entries where operation like 'sessions.mark%'",
    });
    assert.equal(rows.length, 0, "marks are no business of an auditor");
  });

  test("a desk holds the last fifty sessions of others", async (t) => {
    const { caller, db, make } = await house(t);
    const guest = await caller({ email: "guest@example.com", role: "admin" });
    const ids: string[] = [];
    for (let count = 0; count < 52; count++) ids.push(await make());
    for (const id of ids) await send(guest, id);
    const found = new Set([
      ...(await list(guest, "mine=true&limit=100")),
      ...(await list(guest, "mine=true&limit=100&sort=updated_at")),
    ]);
    assert.deepEqual([...found].toSorted(), ids.slice(2).toSorted());
    const { rows } = await db.read.query({ text: "select from session_guests" });
    assert.equal(rows.length, 50);
  });
});

const step = fc.record({
  does: fc.constantFrom("turn", "cancel", "send", "see", "unsee", "archive"),
  who: fc.nat(2),
  at: fc.nat(1),
});

test("any order of turns, messages and marks: fields and lists are those of a model, for each user", async (t) => {
  const { owner, caller, make, turn } = await house(t);
  const people = [
    owner,
    await caller({ email: "one@example.com", role: "admin" }),
    await caller({ email: "two@example.com", role: "admin" }),
  ];
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const ids = [await make(), await make()];
      const desks = ids.map(() => new Set([0]));
      const unseen = ids.map(() => new Set<number>());
      const archived = new Set<number>();
      for (const { does, who, at } of steps) {
        const [id = "", caller = owner] = [ids[at], people[who]];
        if (archived.has(at) && does !== "see") continue;
        if (does === "turn") {
          await turn(id, "end_turn");
          unseen[at] = new Set(desks[at]);
        } else if (does === "cancel") await turn(id, "cancelled");
        else if (does === "send") {
          assert.equal((await send(caller, id)).status, 200);
          desks[at]?.add(who);
          unseen[at]?.delete(who);
        } else if (does === "see") {
          await caller.post(`/sessions/${id}/seen`);
          unseen[at]?.delete(who);
        } else if (does === "unsee") {
          await caller.delete(`/sessions/${id}/seen`);
          desks[at]?.add(who);
          unseen[at]?.add(who);
        } else {
          await owner.post(`/sessions/${id}/archive`);
          archived.add(at);
          unseen[at]?.clear();
        }
      }
      for (const [who, caller] of people.entries()) {
        const of = async (query: string) =>
          (await list(caller, `${query}&include_archived=true&limit=100`)).filter((id) => ids.includes(id));
        const expected = (sets: readonly Set<number>[]) => ids.filter((_, at) => sets[at]?.has(who));
        for (const sort of ["created_at", "updated_at"]) {
          assert.deepEqual((await of(`mine=true&sort=${sort}`)).toSorted(), expected(desks).toSorted());
          assert.deepEqual((await of(`unseen=true&sort=${sort}`)).toSorted(), expected(unseen).toSorted());
        }
        for (const [at, id] of ids.entries())
          assert.equal(await isUnseen(caller, id), unseen[at]?.has(who), `${who} ${at}`);
      }
    }),
    { numRuns: 15 },
  );
});
