// Subject: the routes of memory stores, memories and memory versions.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { type Caller, testApp, type Wire } from "../../../test-support/http.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

async function storeOf(owner: Caller): Promise<{ store: Wire; at: string }> {
  const store = await owner.made("/memory_stores", { name: "notes" });
  return { store, at: `/memory_stores/${store.id}` };
}

describe("memories", () => {
  test("create: equal or nested paths, also concurrently → one memory", async (t) => {
    const owner = await (await testApp(t)).caller();
    const { at } = await storeOf(owner);
    const replies = await Promise.all(
      ["/a/b", "/a", "/a/b/c", "/a/b", "/a", "/a/b/c"].map((path) =>
        owner.post(`${at}/memories`, { path, content: "x" }),
      ),
    );
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    for (const { body } of replies.filter(({ status }) => status !== 200)) {
      assert.deepEqual([body.error.type, body.error.param], ["conflict_error", "path"]);
    }
    for (const path of ["/ab", "/A", "/z%", "/z_"]) await owner.made(`${at}/memories`, { path, content: "" });
    const [one, other] = (await owner.get(`${at}/memories?path_prefix=/z`)).body.data;
    assert.deepEqual([one.path, other.path], ["/z_", "/z%"]);
    assert.equal((await owner.post(`${at}/memories/${one.id}`, { path: "/z%" })).status, 409);
    assert.equal((await owner.post(`${at}/memories/${one.id}`, { path: "/z%/below" })).status, 409);
    assert.equal((await owner.made(`${at}/memories/${one.id}`, { path: "/z_/below" })).path, "/z_/below");
  });

  test("create: an invalid path or content → 400", async (t) => {
    const owner = await (await testApp(t, { jsonLimit: 1_000_000 })).caller();
    const { at } = await storeOf(owner);
    const post = (path: unknown, content: unknown) => owner.post(`${at}/memories`, { path, content });
    const bad = ["a", "", "/", "//a", "/a/", "/a/../b", "/./a", "/a\nb", "/a\u0085", `/${"x".repeat(256)}`];
    for (const path of [...bad, `/${"é".repeat(128)}`, `/${"abc/".repeat(256)}d`, "/\ud800", 5, null]) {
      const { status, body } = await post(path, "x");
      assert.deepEqual([status, body.error.param], [400, "path"], JSON.stringify(path));
    }
    for (const content of ["é".repeat(51_201), "x".repeat(102_401), "a\ud800", "a\u0000b", 5, null]) {
      assert.equal((await post("/a", content)).status, 400, JSON.stringify(content)?.slice(0, 20));
    }
    const most = await post("/most", "é".repeat(51_200));
    assert.deepEqual([most.status, most.body.size_bytes], [200, 102_400]);
    assert.equal((await post(`/${"x".repeat(255)}`, "")).status, 200);
  });

  test("update: another content than expected → 409; of concurrent updates one succeeds", async (t) => {
    const owner = await (await testApp(t)).caller();
    const { at } = await storeOf(owner);
    const made = await owner.made(`${at}/memories`, { path: "/a", content: "0" });
    const path = `${at}/memories/${made.id}`;
    const expecting = (content: string) => ({ type: "content_sha256", content_sha256: hash(content) });
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        owner.post(path, { content: `by ${index}`, precondition: expecting("0") }),
      ),
    );
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409, 409, 409, 409, 409]);
    assert.equal((await owner.delete(`${path}?expected_content_sha256=${hash("0")}`)).status, 409);
    const { content } = (await owner.get(path)).body;
    assert.deepEqual((await owner.delete(`${path}?expected_content_sha256=${hash(content)}`)).body, {
      id: made.id,
      type: "memory_deleted",
    });
    const versions = (await owner.get(`${at}/memory_versions`)).body.data;
    assert.deepEqual(
      versions.map(({ operation, memory_id: id }: Wire) => [operation, id]),
      ["deleted", "modified", "created"].map((operation) => [operation, made.id]),
    );
  });

  test("update: no difference → no version; each version keeps its content", async (t) => {
    const { caller } = await testApp(t);
    const owner = await caller();
    const { at } = await storeOf(owner);
    const made = await owner.made(`${at}/memories`, { path: "/a", content: "one" });
    assert.equal(made.created_at, made.updated_at);
    assert.equal(made.content_sha256, hash("one"));
    assert.deepEqual(await owner.made(`${at}/memories/${made.id}`, { content: "one", path: "/a" }), made);
    assert.deepEqual(await owner.made(`${at}/memories/${made.id}`, {}), made);
    const moved = await owner.made(`${at}/memories/${made.id}`, { path: "/b" });
    assert.equal(moved.content, "one");
    const versions = (await owner.get(`${at}/memory_versions?memory_id=${made.id}`)).body.data;
    assert.deepEqual(
      versions.map(({ id, operation, path, content }: Wire) => [id, operation, path, content]),
      [
        [moved.memory_version_id, "modified", "/b", null],
        [made.memory_version_id, "created", "/a", null],
      ],
    );
    const first = (await owner.get(`${at}/memory_versions/${made.memory_version_id}`)).body;
    assert.equal(first.content, "one");
    assert.equal(first.created_by.type, "api_actor");
    assert.equal(first.created_by.principal_id, (await owner.get(at)).body.owner_id);
    const none = (await owner.get(`${at}/memory_versions?operation=deleted`)).body.data;
    assert.deepEqual(none, []);
  });

  test("redact: removes the content; the newest version of a memory → 409", async (t) => {
    const { caller, db } = await testApp(t);
    const owner = await caller();
    const { at } = await storeOf(owner);
    const made = await owner.made(`${at}/memories`, { path: "/secret", content: "canary-77" });
    const redact = (id: string) => owner.post(`${at}/memory_versions/${id}/redact`);
    assert.equal((await redact(made.memory_version_id)).status, 409);
    const changed = await owner.made(`${at}/memories/${made.id}`, { path: "/plain", content: "clean" });
    const redacted = await redact(made.memory_version_id);
    assert.equal(redacted.status, 200);
    const { path, content, content_sha256, size_bytes, redacted_at, operation } = redacted.body;
    assert.deepEqual(
      [path, content, content_sha256, size_bytes, operation],
      [null, null, null, null, "created"],
    );
    assert.ok(redacted_at !== null);
    assert.deepEqual((await redact(made.memory_version_id)).body, redacted.body);
    const rows = await db.write.query({ text: "select memory_versions::text as row from memory_versions" });
    assert.ok(!JSON.stringify(rows.rows).includes("canary-77"));
    await owner.delete(`${at}/memories/${made.id}`);
    assert.equal((await redact(changed.memory_version_id)).status, 200, "the memory is gone");
  });

  test("create: the store has 2,000 memories → 409", async (t) => {
    const { caller, db } = await testApp(t);
    const owner = await caller();
    const { at } = await storeOf(owner);
    const made = await owner.made(`${at}/memories`, { path: "/first", content: "x" });
    await db.write.query({
      text: `insert into memories (id, memory_store_id, version_id, path, content, content_sha256, size_bytes)
        select gen_random_uuid(), memory_store_id, version_id, '/n' || n, content, content_sha256, size_bytes
        from memories, generate_series(1, 1999) as n`,
    });
    const refused = await owner.post(`${at}/memories`, { path: "/more", content: "x" });
    assert.deepEqual([refused.status, refused.body.error.type], [409, "conflict_error"]);
    assert.match(refused.body.error.message, /2000 memories/);
    await owner.delete(`${at}/memories/${made.id}`);
    assert.equal((await owner.post(`${at}/memories`, { path: "/more", content: "x" })).status, 200);
  });

  test("archive store: read-only afterwards", async (t) => {
    const { caller } = await testApp(t);
    const owner = await caller();
    const { at } = await storeOf(owner);
    const made = await owner.made(`${at}/memories`, { path: "/a", content: "x" });
    const archived = await owner.made(`${at}/archive`, {});
    assert.ok(archived.archived_at !== null);
    assert.deepEqual(await owner.made(`${at}/archive`, {}), archived);
    for (const refused of [
      await owner.post(at, { name: "other" }),
      await owner.post(`${at}/memories`, { path: "/b", content: "" }),
      await owner.post(`${at}/memories/${made.id}`, { content: "" }),
      await owner.delete(`${at}/memories/${made.id}`),
      await owner.post(`${at}/memory_versions/${made.memory_version_id}/redact`),
    ]) {
      assert.deepEqual([refused.status, refused.body.error.type], [403, "permission_error"]);
    }
    assert.deepEqual((await owner.get(`${at}/memories/${made.id}`)).body, made);
    assert.deepEqual((await owner.get("/memory_stores")).body.data, []);
    assert.deepEqual((await owner.get("/memory_stores?include_archived=true")).body.data, [archived]);
    assert.equal((await owner.delete(at)).status, 200);
    assert.equal((await owner.get(`${at}/memories/${made.id}`)).status, 404);
  });

  test("get: a memory or version of another store → 404", async (t) => {
    const { caller } = await testApp(t);
    const owner = await caller();
    const one = await storeOf(owner);
    const two = await storeOf(owner);
    const made = await owner.made(`${one.at}/memories`, { path: "/a", content: "x" });
    assert.equal((await owner.get(`${two.at}/memories/${made.id}`)).status, 404);
    assert.equal((await owner.delete(`${two.at}/memories/${made.id}`)).status, 404);
    assert.equal((await owner.get(`${two.at}/memory_versions/${made.memory_version_id}`)).status, 404);
    assert.deepEqual((await owner.get(`${two.at}/memory_versions?memory_id=${made.id}`)).body.data, []);
    const other = await caller({ email: "other@example.com" });
    for (const path of ["", "/memories", `/memories/${made.id}`, "/memory_versions"]) {
      assert.equal((await other.get(one.at + path)).status, 403, path);
    }
    assert.equal((await other.post(`${one.at}/memories`, { path: "/b", content: "x" })).status, 403);
  });

  test("update store: only the given fields change", async (t) => {
    const owner = await (await testApp(t)).caller();
    const made = await owner.made("/memory_stores", {
      name: "a",
      description: "for all",
      metadata: { keep: "k", drop: "d" },
    });
    const path = `/memory_stores/${made.id}`;
    assert.deepEqual(await owner.made(path, {}), made);
    const changed = await owner.made(path, { name: "b", description: null, metadata: { drop: null } });
    assert.deepEqual(changed, {
      ...made,
      name: "b",
      description: null,
      metadata: { keep: "k" },
      updated_at: changed.updated_at,
    });
    assert.deepEqual((await owner.get(path)).body, changed);
    assert.equal((await owner.post(path, { name: "" })).status, 400);
    assert.equal((await owner.post("/memory_stores", {})).body.error.param, "name");
    assert.equal((await owner.post("/memory_stores", { name: "x".repeat(256) })).status, 400);
  });
});
