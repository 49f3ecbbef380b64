import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Principal } from "@berth/store/access";
import { testApp, type Wire } from "../../test-support/http.ts";

const key = { "idempotency-key": "deploy-42" };

describe("Idempotency-Key", () => {
  test("the same request again → the same bytes, done once", async (t) => {
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

  test("stored responses are not added to the log's redactor", async (t) => {
    const added: string[] = [];
    const redactor = { add: (secret: string) => void added.push(secret), redact: (text: string) => text };
    const { caller } = await testApp(t, { redactor });
    const owner = await caller();
    await owner.post("/environments", { name: "kept" }, key);
    await owner.post("/environments", { name: "kept" }, key);
    assert.deepEqual(added, []);
    const vault = await owner.made("/vaults", { display_name: "v" });
    const auth = { type: "static_bearer", mcp_server_url: "https://mcp.example/", token: "a-secret-of-it" };
    const { status, text } = await owner.post(
      `/vaults/${vault.id}/credentials`,
      { display_name: "c", auth },
      { "idempotency-key": "other" },
    );
    assert.equal(status, 200, text);
    assert.deepEqual(added, ["a-secret-of-it"]);
  });

  test("concurrent requests → one runs; the others get its response or are told to retry", async (t) => {
    const { caller } = await testApp(t);
    const owner = await caller();
    const replies = await Promise.all(
      Array.from({ length: 32 }, () => owner.post("/agents", { name: "a", model: "rehearsal/steps" }, key)),
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

  test("another body or path → 409; another caller's key is independent", async (t) => {
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

  test("another token of the same principal: its scopes are its own, and so are its keys", async (t) => {
    const { caller } = await testApp(t);
    const [wide, narrow] = await Promise.all([caller(), caller({ scopes: ["tokens:write"] })]);
    const ask = { name: "child", scopes: ["*"] };
    assert.equal((await narrow.post("/tokens", ask, key)).status, 403);
    const made = await wide.post("/tokens", ask, key);
    assert.equal(made.status, 200, "a refusal of another token is not its answer");
    const refused = await narrow.post("/tokens", ask, key);
    assert.equal(refused.status, 403);
    assert.ok(!refused.text.includes(made.body.token));
    assert.equal((await wide.post("/tokens", ask, key)).text, made.text);
    const unscoped = await caller({ scopes: ["tokens:read"] });
    assert.equal((await unscoped.post("/tokens", ask, key)).status, 403);
  });

  test("a refusal for lack of permission is not stored: with the permission the retry runs", async (t) => {
    const { app, caller, db } = await testApp(t);
    const member = await caller();
    const ask = { name: "deploys", kind: "sat" };
    assert.equal((await member.post("/tokens", ask, key)).status, 403);
    await db.write.query({ text: "update users set role = 'admin'" });
    app.recentTokens.clear();
    const made = await member.post("/tokens", ask, key);
    assert.deepEqual([made.status, made.headers["idempotency-replayed"]], [200, undefined]);
  });

  test("API errors of the handler are stored; invalid requests and failures are not", async (t) => {
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

  test("a key is free after a day", async (t) => {
    const { caller, db } = await testApp(t);
    const owner = await caller();
    await owner.post("/environments", { name: "one" }, key);
    await db.write.query({ text: "update idempotency_keys set created_at = now() - interval '25 hours'" });
    assert.equal((await owner.post("/environments", { name: "two" }, key)).status, 200);
    assert.equal(
      (await owner.post("/environments", { name: "one" }, key)).body.error.param,
      "Idempotency-Key",
    );
  });

  test("the changes and the stored response are committed or rolled back together", async (t) => {
    const { caller, db } = await testApp(t);
    const owner = await caller();
    await db.write.query({ text: "alter table idempotency_keys add constraint no check (answer is null)" });
    assert.equal((await owner.post("/environments", { name: "one" }, key)).status, 500);
    assert.deepEqual((await owner.get("/environments")).body.data, []);
    await db.write.query({ text: "alter table idempotency_keys drop constraint no" });
    assert.equal((await owner.post("/environments", { name: "one" }, key)).status, 200);
    assert.equal((await owner.get("/environments")).body.data.length, 1);
  });

  test("a dead process → the key is free at once; a working one → the key is held", async (t) => {
    const { app, caller, db } = await testApp(t);
    const owner = await caller();
    const working = Promise.withResolvers<void>();
    const end = Promise.withResolvers<never>();
    const { rows } = await db.read.query<{ id: string; tokenId: string }>({
      text: `select principal_id as id, id as "tokenId" from tokens`,
    });
    const context = { principal: rows[0] as Principal, requestId: "first" };
    const first = app.idempotency.once(context, "deploy-42", [], async ({ write }) => {
      await write.query({ text: "update users set role = 'admin'" });
      working.resolve();
      return await end.promise;
    });
    await Promise.race([working.promise, first]);
    const busy = await owner.post("/environments", { name: "one" }, key);
    assert.deepEqual([busy.status, busy.headers["retry-after"]], [409, "1"]);
    await db.write.query({
      text: `select pg_terminate_backend(pid, 60000) from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'`,
    });
    const free = await owner.post("/environments", { name: "one" }, key);
    assert.equal(free.status, 200, free.text);
    end.reject(new Error("The connection is gone."));
    await assert.rejects(first);
  });

  test("upload: the same one is stored once; another content or name → 409", async (t) => {
    const { caller, blobsDir } = await testApp(t);
    const owner = await caller();
    const first = await owner.upload("same", "a.txt", { kind: "x" }, key);
    assert.equal(first.status, 200);
    const again = await owner.upload("same", "a.txt", { kind: "x" }, key);
    assert.deepEqual([again.text, again.headers["idempotency-replayed"]], [first.text, "true"]);
    for (const [content, name, kind] of [
      ["other", "a.txt", "x"],
      ["same", "b.txt", "x"],
      ["same", "a.txt", "y"],
    ] as const) {
      const reused = await owner.upload(content, name, { kind }, key);
      assert.deepEqual([reused.status, reused.body.error.type], [409, "conflict_error"]);
    }
    assert.equal((await owner.get("/files")).body.data.length, 1);
    assert.deepEqual(readdirSync(join(blobsDir, "partial")), []);
  });

  test("delete: the content is removed after the deletion is committed", async (t) => {
    const { caller, db, blobsDir } = await testApp(t);
    const owner = await caller();
    const file = (await owner.upload("content")).body;
    const stored = () => existsSync(openedAt(blobsDir, file.sha256));
    await db.write.query({ text: "alter table idempotency_keys add constraint no check (answer is null)" });
    assert.equal((await owner.delete(`/files/${file.id}`, key)).status, 500);
    assert.ok(stored(), "the file is there still");
    await db.write.query({ text: "alter table idempotency_keys drop constraint no" });
    assert.equal((await owner.delete(`/files/${file.id}`, key)).status, 200);
    assert.ok(!stored());
    assert.equal((await owner.delete(`/files/${file.id}`, key)).headers["idempotency-replayed"], "true");
  });
});

function openedAt(blobsDir: string, sha256: string): string {
  return join(blobsDir, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
}
