import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { testApp, type Wire } from "./testing.ts";

const key = { "idempotency-key": "deploy-42" };

describe("idempotency keys", () => {
  test("the same request is answered again, byte for byte, and done once", async (t) => {
    const { caller, db } = await testApp(t);
    const owner = await caller();
    const first = await owner.post("/tokens", { name: "once" }, key);
    const again = await owner.post("/tokens", { name: "once" }, key);
    assert.equal(again.text, first.text);
    assert.deepEqual(
      [first.headers["idempotency-replayed"], again.headers["idempotency-replayed"]],
      [undefined, "true"],
    );
    assert.notEqual(again.headers["x-request-id"], first.headers["x-request-id"]);
    assert.equal((await owner.get("/tokens")).body.data.length, 2);
    const { rows } = await db.read.query<Wire>({ text: "select answer from idempotency_keys" });
    assert.ok(!rows[0].answer.includes(first.body.token), "the secret is sealed");
    assert.notEqual(
      (await owner.post("/tokens", { name: "once" })).text,
      first.text,
      "without a key it is done again",
    );
  });

  test("of those who ask at once, one does the work; the others get its answer or are told to wait", async (t) => {
    const { caller } = await testApp(t);
    const owner = await caller();
    const replies = await Promise.all(
      Array.from({ length: 16 }, () => owner.post("/agents", { name: "a", model: "rehearsal/steps" }, key)),
    );
    const done = replies.filter(({ status }) => status === 200);
    assert.equal(new Set(done.map(({ text }) => text)).size, 1);
    for (const { status, body, headers } of replies.filter((reply) => reply.status !== 200)) {
      assert.deepEqual([status, body.error.type], [409, "conflict_error"]);
      assert.equal(headers["retry-after"], "1");
      assert.notEqual(headers["x-should-retry"], "false");
    }
    assert.equal((await owner.get("/agents")).body.data.length, 1);
  });

  test("another body or path is a conflict; another caller's key is another key", async (t) => {
    const { caller } = await testApp(t);
    const [owner, other] = await Promise.all([caller(), caller({ email: "other@example.com" })]);
    await owner.post("/environments", { name: "one" }, key);
    for (const [path, body] of [
      ["/environments", { name: "two" }],
      ["/tokens", { name: "one" }],
    ] as const) {
      const reused = await owner.post(path, body, key);
      assert.deepEqual([reused.status, reused.body.error.type], [409, "conflict_error"]);
      assert.equal(reused.headers["x-should-retry"], "false");
    }
    assert.equal((await other.post("/environments", { name: "two" }, key)).status, 200);
  });

  test("refusals are kept, faults of form and failures are not", async (t) => {
    const { caller, db } = await testApp(t);
    const owner = await caller();
    await owner.made("/environments", { name: "taken" });
    const refused = await owner.post("/environments", { name: "taken" }, key);
    const again = await owner.post("/environments", { name: "taken" }, key);
    assert.deepEqual(
      [again.status, again.text, again.headers["x-should-retry"]],
      [409, refused.text, "false"],
    );
    const second = { "idempotency-key": "second" };
    assert.equal((await owner.post("/environments", {}, second)).status, 400);
    assert.equal((await owner.post("/environments", { name: "good" }, second)).status, 200);
    const third = { "idempotency-key": "third" };
    await db.write.query({ text: "alter table environments rename to away" });
    assert.equal((await owner.post("/environments", { name: "later" }, third)).status, 500);
    await db.write.query({ text: "alter table away rename to environments" });
    assert.equal((await owner.post("/environments", { name: "later" }, third)).status, 200);
    for (const bad of ["", "a b", "x".repeat(256)]) {
      assert.equal(
        (await owner.post("/environments", { name: "x" }, { "idempotency-key": bad })).status,
        400,
      );
    }
  });

  test("a key is free after a day, and taken up when its first try never ended", async (t) => {
    const { caller, db } = await testApp(t);
    const owner = await caller();
    await owner.post("/environments", { name: "one" }, key);
    await db.write.query({ text: "update idempotency_keys set created_at = now() - interval '25 hours'" });
    assert.equal((await owner.post("/environments", { name: "two" }, key)).status, 200);
    await db.write.query({ text: "update idempotency_keys set status = null, answer = null" });
    assert.equal((await owner.post("/environments", { name: "two" }, key)).headers["retry-after"], "1");
    await db.write.query({ text: "update idempotency_keys set locked_until = now() - interval '1 second'" });
    const taken = await owner.post("/environments", { name: "two" }, key);
    assert.equal(taken.body.error.param, "name", "the work is tried again, and finds the name taken");
  });
});
