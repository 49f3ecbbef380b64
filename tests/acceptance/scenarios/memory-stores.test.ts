import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type AnyJson, assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { sharedService } from "../harness/shared-service.ts";

const { berth, api } = await sharedService();

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const makeStore = (fields: object = {}): Promise<AnyJson> =>
  api.ok("POST", "/memory_stores", { name: "notes", ...fields });

covers(["memory-store-crud", "ids"], "memory store: create, read, update and delete", async () => {
  const made = await makeStore({ description: "What we learned", metadata: { team: "a" } });
  assert.match(made.id, /^memstore_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.deepEqual([made.type, made.name, made.archived_at], ["memory_store", "notes", null]);
  assert.deepEqual(made.metadata, { team: "a" });
  assert.deepEqual(await api.ok("GET", `/memory_stores/${made.id}`), made);
  const newer = await makeStore();
  assert.deepEqual((await api.ok("GET", "/memory_stores?limit=2")).data, [newer, made]);
  const changed = await api.ok("POST", `/memory_stores/${made.id}`, {
    name: "more",
    metadata: { team: null },
  });
  assert.deepEqual([changed.name, changed.description, changed.metadata], ["more", "What we learned", {}]);
  for (const [param, body] of [
    ["name", {}],
    ["name", { name: "" }],
    ["name", { name: "x".repeat(256) }],
    ["size", { name: "a", size: 1 }],
  ] as const) {
    assertError(await api.post("/memory_stores", body), 400, "invalid_request_error", { param });
  }
  const other = await berth.client({ user: "other@example.com" });
  assertError(await other.get(`/memory_stores/${made.id}`), 403, "permission_error");
  assert.deepEqual(await api.ok("DELETE", `/memory_stores/${made.id}`), {
    id: made.id,
    type: "memory_store_deleted",
  });
  assertError(await api.get(`/memory_stores/${made.id}`), 404, "not_found_error");
  const reader = await berth.client({ scopes: "memory_stores:read" });
  assert.equal((await reader.get("/memory_stores")).status, 200);
  assertError(await reader.post("/memory_stores", { name: "a" }), 403, "permission_error");
});

covers(
  ["memory-crud", "memory-path-once", "memory-limits"],
  "memories: unique paths in a store, with limits for path and content",
  async () => {
    const store = await makeStore();
    const at = `/memory_stores/${store.id}/memories`;
    const made = await api.ok("POST", at, { path: "/notes/Größe.md", content: "größer\n" });
    assert.deepEqual(
      [made.type, made.memory_store_id, made.path, made.content, made.size_bytes, made.content_sha256],
      ["memory", store.id, "/notes/Größe.md", "größer\n", 9, hash("größer\n")],
    );
    assert.deepEqual(await api.ok("GET", `${at}/${made.id}`), made);
    const other = await api.ok("POST", at, { path: "/todo.md", content: "" });
    assert.deepEqual((await api.ok("GET", at)).data, [
      { ...other, content: null },
      { ...made, content: null },
    ]);
    assert.deepEqual((await api.ok("GET", `${at}?path_prefix=/notes/`)).data, [{ ...made, content: null }]);
    const page = await api.ok("GET", `${at}?limit=1`);
    assert.deepEqual((await api.ok("GET", `${at}?page=${page.next_page}`)).data[0].id, made.id);
    for (const path of ["/todo.md", "/todo.md/below", "/notes"]) {
      assertError(await api.post(at, { path, content: "x" }), 409, "conflict_error", { param: "path" });
    }
    for (const path of ["todo.md", "/", "/a//b", "/a/../b", "/a\u0007", `/${"long/".repeat(300)}x`]) {
      assertError(await api.post(at, { path, content: "x" }), 400, "invalid_request_error", {
        param: "path",
      });
    }
    const long = { path: "/long", content: "x".repeat(102_401) };
    assertError(await api.post(at, long), 400, "invalid_request_error", { param: "content" });
    assert.equal((await api.post(at, { ...long, content: "x".repeat(102_400) })).status, 200);
    assert.deepEqual(await api.ok("DELETE", `${at}/${other.id}`), { id: other.id, type: "memory_deleted" });
    assertError(await api.get(`${at}/${other.id}`), 404, "not_found_error");
  },
);

covers(
  ["memory-precondition", "memory-versions"],
  "memory versions: one for each change whose precondition matches",
  async () => {
    const store = await makeStore();
    const at = `/memory_stores/${store.id}`;
    const made = await api.ok("POST", `${at}/memories`, { path: "/a", content: "one" });
    const one = `${at}/memories/${made.id}`;
    const expecting = (content: string) => ({ type: "content_sha256", content_sha256: hash(content) });
    assertError(
      await api.post(one, { content: "two", precondition: expecting("other") }),
      409,
      "conflict_error",
    );
    assert.deepEqual(await api.ok("GET", one), made);
    const changed = await api.ok("POST", one, { content: "two", precondition: expecting("one") });
    assert.equal(changed.content, "two");
    assertError(await api.delete(`${one}?expected_content_sha256=${hash("one")}`), 409, "conflict_error");
    await api.ok("DELETE", `${one}?expected_content_sha256=${hash("two")}`);
    await api.ok("POST", `${at}/memories`, { path: "/of-another", content: "" });
    const versions = (await api.ok("GET", `${at}/memory_versions?memory_id=${made.id}`)).data;
    assert.deepEqual(
      versions.map(({ operation, path, content_sha256: sha }: AnyJson) => [operation, path, sha]),
      [
        ["deleted", "/a", null],
        ["modified", "/a", hash("two")],
        ["created", "/a", hash("one")],
      ],
    );
    assert.equal((await api.ok("GET", `${at}/memory_versions/${made.memory_version_id}`)).content, "one");
    for (const { created_by: actor } of versions) {
      assert.deepEqual([actor.type, actor.principal_id], ["api_actor", store.owner_id]);
      assert.match(actor.token_id, /^tok_/);
    }
    const modified = (await api.ok("GET", `${at}/memory_versions?operation=modified`)).data;
    assert.deepEqual(
      modified.map(({ id }: AnyJson) => id),
      [changed.memory_version_id],
    );
  },
);

covers(
  ["memory-redact"],
  "redact version: permanent; the newest version of a memory is rejected with 409",
  async () => {
    const store = await makeStore();
    const at = `/memory_stores/${store.id}`;
    const made = await api.ok("POST", `${at}/memories`, { path: "/a", content: "a password" });
    const version = `${at}/memory_versions/${made.memory_version_id}`;
    assertError(await api.post(`${version}/redact`), 409, "conflict_error");
    await api.ok("POST", `${at}/memories/${made.id}`, { content: "none" });
    const redacted = await api.ok("POST", `${version}/redact`);
    assert.deepEqual(
      [redacted.id, redacted.operation, redacted.path, redacted.content, redacted.content_sha256],
      [made.memory_version_id, "created", null, null, null],
    );
    assert.match(redacted.redacted_at, /Z$/);
    assert.deepEqual(await api.ok("GET", version), redacted);
  },
);

covers(["memory-store-archived"], "archived memory store: can be read, not changed", async () => {
  const store = await makeStore();
  const at = `/memory_stores/${store.id}`;
  const made = await api.ok("POST", `${at}/memories`, { path: "/a", content: "x" });
  const archived = await api.ok("POST", `${at}/archive`);
  assert.match(archived.archived_at, /Z$/);
  for (const response of [
    await api.post(at, { name: "b" }),
    await api.post(`${at}/memories`, { path: "/b", content: "" }),
    await api.post(`${at}/memories/${made.id}`, { content: "" }),
    await api.delete(`${at}/memories/${made.id}`),
  ]) {
    assertError(response, 403, "permission_error");
  }
  assert.deepEqual(await api.ok("GET", `${at}/memories/${made.id}`), made);
  const isListed = async (query: string) =>
    (await api.ok("GET", `/memory_stores?${query}`)).data.some(({ id }: AnyJson) => id === store.id);
  assert.equal(await isListed("limit=100"), false);
  assert.equal(await isListed("limit=100&include_archived=true"), true);
});
