import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { after, before } from "node:test";
import { type AnyJson, type Api, type ApiResponse, assertError } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { makeFile, makeSession } from "../harness/fixtures.ts";

const SETTINGS = { BERTH_JSON_LIMIT: "10000", BERTH_UPLOAD_LIMIT: "1048576" };

let berth: Berth;
let api: Api;
before(async () => {
  berth = await Berth.start({ settings: SETTINGS });
  api = await berth.client();
});
after(() => berth.stop());

function createPendingFile(fields: Record<string, unknown> = {}): Promise<AnyJson> {
  return api.ok("POST", "/files", { filename: "a.bin", ...fields });
}

function put(file: AnyJson, content: Uint8Array<ArrayBuffer> | string, range?: string): Promise<ApiResponse> {
  const headers: Record<string, string> = range === undefined ? {} : { "content-range": range };
  return api.call("PUT", `/files/${file.id}/content`, undefined, { raw: content, headers });
}

covers(["files-announce"], "pending file: created first, its content uploaded afterwards", async () => {
  const file = await createPendingFile({ size_bytes: 5, mime_type: "text/plain", metadata: { a: "b" } });
  assert.deepEqual([file.status, file.size_bytes, file.uploaded_bytes, file.sha256], ["pending", 5, 0, null]);
  const { status, body } = await put(file, "hello");
  assert.equal(status, 200);
  const sha256 = createHash("sha256").update("hello").digest("hex");
  const { updated_at: updated } = body;
  assert.deepEqual(body, { ...file, status: "ready", sha256, uploaded_bytes: 5, updated_at: updated });
  assert.ok(updated >= file.updated_at);
  assert.deepEqual(await api.ok("GET", `/files/${file.id}`), body);
  const content = await api.get(`/files/${file.id}/content`);
  assert.deepEqual([content.body, content.headers.get("content-type")], ["hello", "text/plain"]);
  assertError(await put(file, "hello"), 409, "conflict_error");
  const other = await berth.client({ user: "other@example.com" });
  const foreign = await createPendingFile();
  const path = `/files/${foreign.id}/content`;
  assertError(await other.call("PUT", path, undefined, { raw: "x" }), 403, "permission_error");
  assertError(
    await api.call("PUT", "/files/file_01h00000000000000000000000/content", undefined, { raw: "x" }),
    404,
    "not_found_error",
  );
});

covers(["files-pending"], "pending file: cannot be read or mounted", async () => {
  const file = await createPendingFile();
  assertError(await api.get(`/files/${file.id}/content`), 409, "conflict_error");
  const session = await makeSession(api);
  const resource = { type: "file", file_id: file.id };
  const added = await api.post(`/sessions/${session.id}/resources`, resource);
  assertError(added, 409, "invalid_request_error", { param: "file_id" });
  assertError(
    await api.post("/sessions", {
      agent: session.agent.id,
      environment_id: session.environment_id,
      resources: [resource],
    }),
    409,
    "conflict_error",
    { param: "resources[0].file_id" },
  );
  assert.equal((await put(file, "now")).status, 200);
  assert.equal((await api.post(`/sessions/${session.id}/resources`, resource)).status, 200);
});

covers(["files-resume"], "upload in parts: resumes after a kill of the service", async () => {
  const content = new Uint8Array(randomBytes(300_000));
  const file = await createPendingFile();
  assert.equal((await put(file, "", "bytes */*")).headers.get("range"), null);
  const first = await put(file, content.subarray(0, 100_000), "bytes 0-99999/*");
  assert.deepEqual(
    [first.status, first.body.status, first.body.uploaded_bytes, first.headers.get("range")],
    [200, "pending", 100_000, "bytes=0-99999"],
  );
  await berth.kill("SIGKILL");
  berth = await Berth.start({ dataDir: berth.dataDir, settings: SETTINGS });
  api = new (api.constructor as typeof Api)(berth.url, api.token);
  const status = await put(file, "", "bytes */300000");
  assert.deepEqual([status.body.status, status.headers.get("range")], ["pending", "bytes=0-99999"]);
  for (const start of [0, 99_999, 100_001]) {
    const range = `bytes ${start}-${start}/300000`;
    assertError(await put(file, "x", range), 409, "conflict_error", { message: /\b100000\b/ });
  }
  const last = await put(file, content.subarray(100_000), "bytes 100000-299999/300000");
  assert.equal(last.body.status, "ready");
  assert.equal(last.body.sha256, createHash("sha256").update(content).digest("hex"));
  assert.equal((await put(file, "", "bytes */300000")).body.status, "ready");
});

covers(["files-fit"], "content with another size or range than announced → 400", async () => {
  const file = await createPendingFile({ size_bytes: 10 });
  for (const [content, range] of [
    ["short", undefined],
    ["much too long", undefined],
    ["0123", "bytes 0-3/11"],
    ["0123", "bytes 0-4/10"],
    ["0123456789a", "bytes 0-10/*"],
    ["0123", "bytes 3-1/10"],
    ["0123", "bytes 0-3"],
    ["0123", "bytes */10"],
  ] as const) {
    const response = await put(file, content, range);
    assertError(response, 400, "invalid_request_error");
    const { status, uploaded_bytes: uploaded } = await api.ok("GET", `/files/${file.id}`);
    assert.deepEqual([status, uploaded], ["pending", 0]);
  }
  assert.equal((await put(file, "0123456789")).body.status, "ready");
});

covers(
  ["limits-exact"],
  "body limits: exactly the limit is accepted, one byte more is rejected",
  async () => {
    const json = (size: number) => {
      const empty = JSON.stringify({ name: "a", model: "rehearsal/steps", system: "" });
      return empty.replace('""', `"${"x".repeat(size - empty.length)}"`);
    };
    const send = (size: number) =>
      api.call("POST", "/agents", undefined, {
        raw: json(size),
        headers: { "content-type": "application/json" },
      });
    assert.equal((await send(10_000)).status, 200);
    assertError(await send(10_001), 400, "invalid_request_error", { message: /10000 bytes/ });
    const limit = 1_048_576;
    const largest = new Uint8Array(limit);
    assert.equal((await makeFile(api, largest)).size_bytes, limit);
    await assert.rejects(makeFile(api, new Uint8Array(limit + 1)), /larger than 1 MiB/);
    assertError(
      await api.post("/files", { filename: "a", size_bytes: limit + 1 }),
      400,
      "invalid_request_error",
      {
        param: "size_bytes",
      },
    );
    assertError(
      await put(await createPendingFile(), new Uint8Array(limit + 1)),
      400,
      "invalid_request_error",
    );
    assert.equal((await put(await createPendingFile({ size_bytes: limit }), largest)).body.status, "ready");
  },
);

covers(["files-pending-limit"], "pending files: at most 100 for each owner", async () => {
  const owner = await berth.client({ user: "announcer@example.com" });
  const body = { filename: "a.bin" };
  const responses = await Promise.all(Array.from({ length: 104 }, () => owner.post("/files", body)));
  const created = responses.filter(({ status }) => status === 200);
  assert.equal(created.length, 100);
  const other = responses.find(({ status }) => status !== 200);
  assert.ok(other !== undefined);
  assertError(other, 409, "conflict_error", { message: /^100 files are pending/ });
  await createPendingFile();
  assert.equal((await makeFile(owner, "in one request")).status, "ready");
  const [sent, deleted] = created.map((response) => response.body);
  const content = `/files/${sent.id}/content`;
  assert.equal((await owner.call("PUT", content, undefined, { raw: "x" })).body.status, "ready");
  await owner.ok("DELETE", `/files/${deleted.id}`);
  for (const status of [200, 200, 409]) assert.equal((await owner.post("/files", body)).status, status);
});
