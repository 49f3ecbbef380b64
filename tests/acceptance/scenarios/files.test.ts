import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { type AnyJson, assertError, type Body } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { makeFile, makeSession } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";

const { berth, api } = await sharedService();

covers(["files-upload", "ids"], "upload: returns a ready file with size and sha256", async () => {
  const content = randomBytes(3_000_000);
  const made = await makeFile(api, content, "räume.bin", { source: "test" });
  const { id, owner_id: owner, created_at: created, updated_at: updated, mime_type: type, ...rest } = made;
  assert.match(id, /^file_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.match(owner, /^usr_/);
  assert.match(created, /Z$/);
  assert.match(updated, /Z$/);
  assert.equal(type, "text/plain");
  assert.deepEqual(rest, {
    type: "file",
    filename: "räume.bin",
    size_bytes: content.length,
    uploaded_bytes: content.length,
    sha256: createHash("sha256").update(content).digest("hex"),
    status: "ready",
    downloadable: true,
    scope: null,
    current: null,
    metadata: { source: "test" },
    owner_type: "user",
    visibility: "private",
  });
});

covers(["files-read"], "read files: list, metadata and content", async () => {
  const made = await makeFile(api, "hello\n", "hello.txt");
  assert.deepEqual(await api.ok("GET", `/files/${made.id}`), made);
  assert.deepEqual((await api.ok("GET", "/files?limit=1")).data, [made]);
  assert.deepEqual(
    (await api.ok("GET", `/files?ids[]=${made.id}`)).data.map(({ id }: AnyJson) => id),
    [made.id],
  );
  const content = await api.get(`/files/${made.id}/content`);
  assert.equal(content.body, "hello\n");
  assert.equal(content.headers.get("content-length"), "6");
  assert.match(content.headers.get("content-disposition") ?? "", /^attachment/);
  assert.equal(content.headers.get("x-content-type-options"), "nosniff");
  assert.ok(content.headers.has("etag"));
  for (const path of ["", "/content"]) {
    assertError(await api.get(`/files/file_01h00000000000000000000000${path}`), 404, "not_found_error");
    const other = await berth.client({ user: "other@example.com" });
    assertError(await other.get(`/files/${made.id}${path}`), 403, "permission_error");
  }
});

covers(["files-upload"], "upload: an empty file is accepted", async () => {
  const made = await makeFile(api, "", "empty");
  assert.equal(made.size_bytes, 0);
  assert.equal((await api.get(`/files/${made.id}/content`)).body, "");
});

covers(["files-faults"], "invalid upload → 400", async () => {
  const send = (raw: Body, headers: Record<string, string> = {}) =>
    api.call("POST", "/files", undefined, { raw, headers });
  const form = (entries: Record<string, string | Blob>) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(entries)) data.set(name, value);
    return data;
  };
  assertError(await send(form({})), 400, "invalid_request_error");
  assertError(await send(form({ metadata: "{}" })), 400, "invalid_request_error", {
    message: "Field 'file' is required.",
    param: "file",
  });
  assertError(
    await send(form({ file: new Blob(["x"]), metadata: "not json" })),
    400,
    "invalid_request_error",
    {
      param: "metadata",
    },
  );
  assertError(await send(form({ file: new Blob(["x"]), metadata: '{"a":1}' })), 400, "invalid_request_error");
  assertError(await send(form({ file: new Blob(["x"]), other: "y" })), 400, "invalid_request_error", {
    param: "other",
  });
  assertError(
    await send('{"filename":""}', { "content-type": "application/json" }),
    400,
    "invalid_request_error",
  );
  assertError(await send("content", { "content-type": "text/plain" }), 400, "invalid_request_error");
  assertError(
    await send("garbage", { "content-type": "multipart/form-data; boundary=x" }),
    400,
    "invalid_request_error",
  );
  assert.equal(
    (await api.ok("GET", "/files?limit=100")).data.every(({ status }: AnyJson) => status === "ready"),
    true,
  );
});

covers(
  ["files-delete"],
  "delete file: rejected while an active session mounts it; the content goes with the last file",
  async () => {
    const content = randomBytes(1_000);
    const file = await makeFile(api, content);
    const twin = await makeFile(api, content, "twin");
    const stored = () =>
      readdirSync(berth.dataDir, { recursive: true, encoding: "utf8" }).some((name) =>
        name.endsWith(file.sha256),
      );
    const session = await makeSession(api, { resources: [{ type: "file", file_id: file.id }] });
    assertError(await api.delete(`/files/${file.id}`), 409, "conflict_error", {
      message: new RegExp(file.id),
    });
    const other = await berth.client({ user: "other@example.com" });
    assertError(await other.delete(`/files/${file.id}`), 403, "permission_error");
    await api.ok("POST", `/sessions/${session.id}/archive`);
    assert.deepEqual(await api.ok("DELETE", `/files/${file.id}`), { id: file.id, type: "file_deleted" });
    for (const response of [
      await api.get(`/files/${file.id}`),
      await api.get(`/files/${file.id}/content`),
      await api.delete(`/files/${file.id}`),
      await api.post(`/sessions/${(await makeSession(api)).id}/resources`, {
        type: "file",
        file_id: file.id,
      }),
    ]) {
      assertError(response, 404, "not_found_error");
    }
    assert.equal((await api.ok("GET", `/sessions/${session.id}`)).resources[0].file_id, file.id);
    assert.ok(stored(), "the other file has the same content");
    assert.equal((await api.get(`/files/${twin.id}/content`)).status, 200);
    await api.ok("DELETE", `/files/${twin.id}`);
    assert.ok(!stored());
    assert.equal((await makeFile(api, content)).sha256, file.sha256);
    assert.ok(stored());
  },
);
