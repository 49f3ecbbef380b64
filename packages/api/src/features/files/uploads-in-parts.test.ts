// Subject: receive-content and complete-upload.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { parseId } from "@berth/contract";
import { type BlobStore, openDiskBlobs } from "@berth/store/blobs";
import { testApp, type Wire } from "../../../test-support/http.ts";
import { sweepContents, sweepUploads } from "./sweep-contents.ts";

const megabyte = 1_048_576;

/** Starts the service on a socket, with a pending file. */
async function house(t: TestContext, announced: Record<string, unknown> = {}) {
  const uploadLimit = 40 * megabyte;
  const app = await testApp(t, { uploadLimit });
  const owner = await app.caller();
  await app.app.fastify.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.app.fastify.server.address() as AddressInfo;
  const file = await owner.made("/files", { filename: "a.bin", ...announced });
  const path = `/api/v1/cloud/files/${file.id}/content`;
  const authorization = `Bearer ${owner.token}`;
  const put = async (body: Uint8Array<ArrayBuffer> | string, range?: string) => {
    const headers = new Headers({ authorization });
    if (range !== undefined) headers.set("content-range", range);
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: "PUT", headers, body });
    const wire: Wire = await answer.json();
    return { status: answer.status, headers: answer.headers, body: wire };
  };
  /** Sends the given bytes and does not end the request; `destroy` breaks the connection. */
  const open = (headers: Record<string, string>) => {
    const sending = request({ port, path, method: "PUT", headers: { authorization, ...headers } });
    sending.on("error", () => undefined);
    return sending;
  };
  const grown = join(app.blobsDir, "growing", parseId("file", file.id) ?? "");
  return { ...app, owner, file, put, open, grown, uploadLimit };
}

function bytes(size: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(randomBytes(size));
}

describe("uploads in parts", () => {
  test("a pending file gets its whole content → ready", async (t) => {
    const { file, put, owner, grown } = await house(t, { mime_type: "Text/Plain", metadata: { a: "b" } });
    assert.deepEqual(
      [file.status, file.size_bytes, file.uploaded_bytes, file.sha256, file.mime_type, file.metadata],
      ["pending", null, 0, null, "text/plain", { a: "b" }],
    );
    const early = await owner.get(`/files/${file.id}/content`);
    assert.deepEqual([early.status, early.body.error.type], [409, "conflict_error"]);
    const done = await put("hello");
    assert.equal(done.headers.get("range"), "bytes=0-4");
    assert.deepEqual([done.body.status, done.body.size_bytes, done.body.uploaded_bytes], ["ready", 5, 5]);
    assert.deepEqual((await owner.get(`/files/${file.id}`)).body, done.body);
    assert.equal((await owner.get(`/files/${file.id}/content`)).text, "hello");
    assert.ok(!existsSync(grown));
    const again = await put("hello");
    assert.deepEqual([again.status, again.body.error.type], [409, "conflict_error"]);
    assert.equal((await put("", "bytes */*")).body.status, "ready");
  });

  test("parts are appended in order; a query returns how much was received", async (t) => {
    const { put, owner, file } = await house(t);
    const content = bytes(300_000);
    assert.equal((await put("", "bytes */*")).headers.get("range"), null);
    const first = await put(content.subarray(0, 100_000), "bytes 0-99999/*");
    assert.deepEqual(
      [first.status, first.body.status, first.body.uploaded_bytes, first.headers.get("range")],
      [200, "pending", 100_000, "bytes=0-99999"],
    );
    for (const [from, to] of [
      [0, 50_000],
      [50_000, 150_000],
      [100_001, 150_000],
    ] as const) {
      const misplaced = await put(content.subarray(from, to), `bytes ${from}-${to - 1}/*`);
      assert.deepEqual([misplaced.status, misplaced.body.error.type], [409, "conflict_error"]);
      assert.match(misplaced.body.error.message, /\b100000\b/);
    }
    const second = await put(content.subarray(100_000, 200_000), "bytes 100000-199999/300000");
    assert.deepEqual([second.body.size_bytes, second.body.uploaded_bytes], [300_000, 200_000]);
    const asked = await put("", "bytes */300000");
    assert.deepEqual([asked.body.status, asked.headers.get("range")], ["pending", "bytes=0-199999"]);
    const last = await put(content.subarray(200_000), "bytes 200000-299999/*");
    assert.deepEqual([last.body.status, last.body.size_bytes], ["ready", 300_000]);
    assert.ok(last.body.sha256 !== null);
    const twin = await owner.upload("x");
    assert.notEqual(twin.body.sha256, last.body.sha256);
    assert.equal((await owner.get(`/files/${file.id}/content`)).headers["content-length"], "300000");
  });

  test("unknown size: a query with the total completes the upload, also of an empty content", async (t) => {
    const { put } = await house(t);
    await put("ab", "bytes 0-1/*");
    assert.equal((await put("", "bytes */3")).body.status, "pending");
    assert.equal((await put("", "bytes */2")).body.status, "ready");
    const empty = await house(t, { size_bytes: 0 });
    assert.equal((await empty.put("")).body.status, "ready");
  });

  test("a body that does not match the size or the range → rejected, and its bytes are deleted", async (t) => {
    const { put } = await house(t, { size_bytes: 10 });
    const refused = async (body: string, range: string | undefined, status = 400) => {
      const answer = await put(body, range);
      assert.deepEqual([answer.status, answer.headers.get("x-should-retry")], [status, "false"], `${range}`);
      const { body: file } = await put("", "bytes */*");
      assert.deepEqual([file.status, file.uploaded_bytes], ["pending", 0], `${range}`);
    };
    await refused("short", undefined);
    await refused("much too long", undefined);
    await refused("0123", "bytes 0-3/11");
    await refused("0123456789a", "bytes 0-10/*");
    await refused("0123", "bytes 0-4/10");
    await refused("0123", "bytes 3-1/10");
    await refused("0123", "bytes 0-3/3");
    await refused("0123", "items 0-3/10");
    await refused("0123", "bytes */10");
    await refused("0123", "bytes 4-7/10", 409);
    assert.equal((await put("0123456789")).body.status, "ready");
  });

  test("a body without content-length → its range and the limit still apply", async (t) => {
    const { open, put, uploadLimit } = await house(t);
    for (const [body, range] of [
      ["0123", "bytes 0-4/10"],
      ["012345", "bytes 0-4/10"],
      [bytes(uploadLimit + 1), undefined],
    ] as const) {
      const chunked = { "transfer-encoding": "chunked" };
      const sending = open(range === undefined ? chunked : { ...chunked, "content-range": range });
      sending.end(body);
      const [answer] = await once(sending, "response");
      answer.resume();
      assert.equal(answer.statusCode, 400, `${range}`);
      assert.equal((await put("", "bytes */*")).body.uploaded_bytes, 0);
    }
  });

  test("size: at the limit → accepted; one byte more → rejected", async (t) => {
    const { put, owner, uploadLimit } = await house(t);
    const limit = uploadLimit;
    const announce = (size: number) => owner.post("/files", { filename: "x", size_bytes: size });
    assert.equal((await announce(limit)).status, 200);
    assert.deepEqual((await announce(limit + 1)).body.error.param, "size_bytes");
    assert.equal((await put("x", `bytes 0-0/${limit + 1}`)).status, 400);
    assert.equal((await put(bytes(limit + 1))).status, 400);
    assert.equal((await put(bytes(limit))).body.status, "ready");
  });

  test("the connection breaks → the received bytes are kept, also across a restart", async (t) => {
    const { open, put, db, owner, file, blobsDir } = await house(t, { size_bytes: 20 * megabyte });
    const content = bytes(20 * megabyte);
    const sending = open({ "content-length": `${content.length}` });
    sending.write(content.subarray(0, 9 * megabyte));
    await rowUntil(db, (row) => row.uploaded_bytes >= 8 * megabyte);
    const busy = await put("0", "bytes 0-0/*");
    assert.deepEqual([busy.status, busy.headers.get("retry-after")], [409, "1"]);
    sending.destroy();
    await rowUntil(db, async () => (await put("0", "bytes 0-0/*")).headers.get("retry-after") === null);
    const { uploaded_bytes: arrived } = (await put("", "bytes */*")).body;
    assert.ok(arrived >= 8 * megabyte && arrived <= 9 * megabyte, `${arrived}`);
    const again = await testApp(t, { db, blobs: await openDiskBlobs(blobsDir), uploadLimit: 40 * megabyte });
    const answer = await again.app.fastify.inject({
      method: "PUT",
      url: `/api/v1/cloud/files/${file.id}/content`,
      headers: {
        authorization: `Bearer ${owner.token}`,
        "content-range": `bytes ${arrived}-${content.length - 1}/${content.length}`,
      },
      payload: Buffer.from(content.subarray(arrived)),
    });
    const { sha256, status } = answer.json();
    assert.equal(status, "ready");
    const stored = join(blobsDir, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
    assert.ok(readFileSync(stored).equals(content));
  });

  test("rejected amid a large body → the client gets the error, and its connection stays usable", async (t) => {
    const { put, uploadLimit } = await house(t);
    await put("x");
    for (let times = 0; times < 3; times++) {
      const refused = await put(bytes(uploadLimit));
      assert.deepEqual([refused.status, refused.body.error.type], [409, "conflict_error"]);
    }
    assert.equal((await put("", "bytes */*")).body.status, "ready");
  });

  test("the whole content is sent again → the upload starts anew", async (t) => {
    const { put, owner, file } = await house(t);
    await put("0123", "bytes 0-3/*");
    assert.equal((await put("new")).body.size_bytes, 3);
    assert.equal((await owner.get(`/files/${file.id}/content`)).text, "new");
  });

  test("the received bytes are lost → the file has failed", async (t) => {
    const { put, grown, owner, file } = await house(t);
    await put("0123", "bytes 0-3/8");
    rmSync(grown);
    const lost = await put("4567", "bytes 4-7/8");
    assert.deepEqual([lost.status, lost.body.error.type], [409, "conflict_error"]);
    const { status, uploaded_bytes: uploaded } = (await owner.get(`/files/${file.id}`)).body;
    assert.deepEqual([status, uploaded], ["failed", 0]);
    assert.equal((await put("01234567")).status, 409);
  });

  test("delete: nothing is left, also during an upload", async (t) => {
    const { open, put, owner, file, grown, db } = await house(t);
    await put("0123", "bytes 0-3/*");
    assert.ok(existsSync(grown));
    const sending = open({ "content-range": `bytes 4-${20 * megabyte - 1}/*` });
    sending.write(bytes(9 * megabyte));
    await rowUntil(db, (row) => row.uploaded_bytes > 4);
    assert.equal((await owner.delete(`/files/${file.id}`)).status, 200);
    sending.end(bytes(11 * megabyte - 4));
    const [answer] = await once(sending, "response");
    answer.resume();
    assert.equal(answer.statusCode, 404);
    assert.ok(!existsSync(grown));
  });

  test("sweep: no bytes for a week → failed; partial contents without a pending file → removed", async (t) => {
    const { put, owner, file, grown, db, blobsDir } = await house(t);
    const blobs = await openDiskBlobs(blobsDir);
    await put("0123", "bytes 0-3/*");
    await sweepUploads(db, blobs);
    assert.ok(existsSync(grown));
    await db.write.query({ text: "update files set updated_at = now() - interval '169 hours'" });
    await sweepUploads(db, blobs);
    assert.equal((await owner.get(`/files/${file.id}`)).body.status, "failed");
    assert.deepEqual(readdirSync(join(blobsDir, "growing")), []);
  });

  test("two services sweep at once, beside a content in its middle and a staged one of another machine → both stay", async (t) => {
    const { put, owner, file, db, blobsDir } = await house(t);
    const content = bytes(300_000);
    await put(content.subarray(0, 100_000), "bytes 0-99999/*");
    const elsewhere = join(blobsDir, "partial", "0123456789ab.1.2.staged");
    writeFileSync(elsewhere, "half");
    const services = [await openDiskBlobs(blobsDir), await openDiskBlobs(blobsDir)];
    const sweep = async (blobs: BlobStore) => {
      await blobs.removeAbandoned();
      await sweepUploads(db, blobs);
      await sweepContents(db, blobs, { graceMs: -1 });
    };
    const sweeping = Promise.all(services.flatMap((blobs) => [sweep(blobs), sweep(blobs)]));
    await put(content.subarray(100_000, 200_000), "bytes 100000-199999/*");
    await sweeping;
    const [last] = await Promise.all([
      put(content.subarray(200_000), "bytes 200000-299999/300000"),
      ...services.map(sweep),
    ]);
    assert.equal(last.body.status, "ready");
    await Promise.all(services.map(sweep));
    const { sha256 } = (await owner.get(`/files/${file.id}`)).body;
    assert.equal(sha256, createHash("sha256").update(content).digest("hex"));
    assert.equal((await owner.get(`/files/${file.id}/content`)).headers["content-length"], "300000");
    assert.ok(existsSync(elsewhere));
  });

  test("a pending file: cannot be mounted, and its name is validated", async (t) => {
    const { owner, file } = await house(t);
    const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
    const environment = await owner.made("/environments", { name: "e" });
    const session = { agent: agent.id, environment_id: environment.id };
    const { id } = await owner.made("/sessions", session);
    const resource = { type: "file", file_id: file.id };
    const added = await owner.post(`/sessions/${id}/resources`, resource);
    assert.deepEqual([added.status, added.body.error.type], [409, "invalid_request_error"]);
    const created = await owner.post("/sessions", { ...session, resources: [resource] });
    assert.deepEqual([created.status, created.body.error.type], [409, "conflict_error"]);
    for (const filename of ["", "a/b", "a\\b", "..", "a\u0001", "x".repeat(256)]) {
      assert.equal((await owner.post("/files", { filename })).body.error.param, "filename", filename);
    }
    assert.equal((await owner.post("/files", { filename: "x", size_bytes: -1 })).status, 400);
    assert.equal((await owner.post("/files", { filename: "x", mime_type: "text" })).status, 400);
  });
});

/** Returns the row of the only file once it satisfies the condition. Fails after a minute. */
async function rowUntil(db: Wire, isSo: (row: Wire) => boolean | Promise<boolean>): Promise<Wire> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const { rows } = await db.read.query({ text: "select * from files" });
    if (await isSo(rows[0])) return rows[0];
  }
  throw new Error("The file did not come to be so.");
}
