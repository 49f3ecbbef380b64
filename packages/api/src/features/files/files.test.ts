// Subject: the routes of files.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { describe, test } from "node:test";
import { testApp, type Wire } from "../../../test-support/http.ts";

function stored(directory: string): string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

const head = 'content-disposition: form-data; name="file"; filename="a"\r\n\r\n';

describe("files", () => {
  test("upload: stored by hash and read back unchanged", async (t) => {
    const { caller, blobsDir } = await testApp(t);
    const owner = await caller();
    const made = (await owner.upload("hello\n", 'räume "x".txt'.replaceAll('"', "'"), { source: "test" }))
      .body;
    const sha256 = createHash("sha256").update("hello\n").digest("hex");
    assert.deepEqual(
      [made.filename, made.size_bytes, made.sha256, made.mime_type, made.status],
      ["räume 'x'.txt", 6, sha256, "text/plain", "ready"],
    );
    assert.deepEqual(made.metadata, { source: "test" });
    await owner.upload("hello\n", "copy");
    assert.deepEqual(stored(blobsDir), [sha256]);
    const content = await owner.get(`/files/${made.id}/content`);
    assert.equal(content.text, "hello\n");
    assert.equal(content.headers["content-length"], "6");
    assert.equal(content.headers["x-content-type-options"], "nosniff");
    assert.equal(
      content.headers["content-disposition"],
      `attachment; filename="r_ume 'x'.txt"; filename*=UTF-8''r%C3%A4ume%20%27x%27.txt`,
    );
    const again = await owner.get(`/files/${made.id}/content`, {
      "if-none-match": String(content.headers.etag),
    });
    assert.deepEqual([again.status, again.text], [304, ""]);
    const other = await caller({ email: "other@example.com" });
    for (const path of ["", "/content"]) {
      assert.equal((await other.get(`/files/${made.id}${path}`)).status, 403);
      assert.equal((await owner.get(`/files/file_01h00000000000000000000000${path}`)).status, 404);
    }
  });

  test("content: one range → 206 with that range", async (t) => {
    const owner = await (await testApp(t)).caller();
    const { id } = (await owner.upload("0123456789")).body;
    const { etag } = (await owner.get(`/files/${id}/content`)).headers;
    for (const [range, status, text, place] of [
      ["bytes=2-4", 206, "234", "bytes 2-4/10"],
      ["bytes=8-", 206, "89", "bytes 8-9/10"],
      ["bytes=-3", 206, "789", "bytes 7-9/10"],
      ["bytes=-30", 206, "0123456789", "bytes 0-9/10"],
      ["bytes=9-99", 206, "9", "bytes 9-9/10"],
      ["bytes=10-", 200, "0123456789", undefined],
      ["bytes=4-2", 200, "0123456789", undefined],
      ["bytes=-0", 200, "0123456789", undefined],
      ["bytes=-", 200, "0123456789", undefined],
      ["bytes=0-1,3-4", 200, "0123456789", undefined],
      ["lines=1-2", 200, "0123456789", undefined],
    ] as const) {
      const part = await owner.get(`/files/${id}/content`, { range, "if-range": String(etag) });
      assert.deepEqual([part.status, part.text, part.headers["content-range"]], [status, text, place], range);
      assert.equal(part.headers["content-length"], String(text.length));
    }
    const changed = await owner.get(`/files/${id}/content`, { range: "bytes=2-4", "if-range": '"other"' });
    assert.equal(changed.status, 200);
  });

  test("list: by ids and by session", async (t) => {
    const { caller, db } = await testApp(t);
    const [owner, other] = await Promise.all([caller(), caller({ email: "other@example.com" })]);
    const made: Wire[] = [];
    for (let i = 0; i < 5; i++) made.push((await owner.upload(`content ${i}`)).body);
    const foreign = (await other.upload("foreign")).body;
    const ids = async (query: string) =>
      (await owner.get(`/files?${query}`)).body.data.map(({ id }: Wire) => id);
    const [first, , third] = made.map(({ id }) => id);
    assert.deepEqual(await ids(`ids[]=${first}&ids[]=${third}&ids[]=${foreign.id}`), [third, first]);
    assert.deepEqual(await ids(`ids[]=${first}&ids[]=${third}&limit=1`), [third]);
    assert.deepEqual(await ids(`ids[]=${first}&ids[]=${third}&after_id=${third}`), [first]);
    assert.deepEqual(await ids(`ids[]=${first}&ids[]=${third}&before_id=${first}`), [third]);
    const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
    const environment = await owner.made("/environments", { name: "e" });
    const session = await owner.made("/sessions", { agent: agent.id, environment_id: environment.id });
    await db.write.query({
      text: "update files set scope_session_id = (select id from sessions) where sha256 = $1",
      values: [made[2].sha256],
    });
    assert.deepEqual(await ids(`scope_id=${session.id}`), [third]);
    assert.deepEqual((await owner.get(`/files/${third}`)).body.scope, { type: "session", id: session.id });
    assert.equal((await owner.get("/files?ids[]=x")).body.error.param, "ids[0]");
  });

  test("upload: an invalid form → 400, and nothing is kept", async (t) => {
    const { app, caller, blobsDir } = await testApp(t);
    const owner = await caller();
    const send = async (payload: string, type = "multipart/form-data; boundary=edge") => {
      const answer = await app.fastify.inject({
        method: "POST",
        url: "/api/v1/cloud/files",
        headers: { authorization: `Bearer ${owner.token}`, "content-type": type },
        payload,
      });
      const { error } = answer.json();
      return [answer.statusCode, error?.type, error?.param];
    };
    const part = (name: string, value: string) =>
      `--edge\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const file = `--edge\r\n${head}x\r\n`;
    const end = "--edge--\r\n";
    const refused = (param?: string) => [400, "invalid_request_error", param];
    assert.deepEqual(await send(end), refused("file"));
    assert.deepEqual(await send(part("metadata", "{}") + end), refused("file"));
    assert.deepEqual(await send(part("file", "x") + end), refused("file"));
    assert.deepEqual(await send(file + file + end), refused("file"));
    assert.deepEqual(await send(file + part("metadata", "no json") + end), refused("metadata"));
    assert.deepEqual(await send(file + part("metadata", '{"a":1}') + end), refused("metadata.a"));
    assert.deepEqual(
      await send(file + part("metadata", "{}") + part("metadata", "{}") + end),
      refused("metadata"),
    );
    assert.deepEqual(await send(file + part("other", "y") + end), refused("other"));
    assert.deepEqual(await send(`--edge\r\n${head}${"x".repeat(100_001)}\r\n${end}`), refused());
    assert.deepEqual(await send("garbage"), refused());
    assert.deepEqual(await send(file), refused(), "the end is missing");
    assert.deepEqual(await send("{}", "application/json"), refused("filename"));
    assert.deepEqual(await send("x", "text/plain"), refused());
    assert.deepEqual(await send(file + end, "multipart/form-data"), refused());
    assert.deepEqual(stored(blobsDir), []);
    assert.deepEqual((await owner.get("/files")).body.data, []);
    assert.equal((await owner.upload("x".repeat(100_000))).status, 200, "the limit itself is allowed");
  });

  test("upload: the connection breaks → nothing is left", async (t) => {
    const { app, caller, blobsDir } = await testApp(t);
    const owner = await caller();
    await app.fastify.listen({ host: "127.0.0.1", port: 0 });
    const socket = connect((app.fastify.server.address() as AddressInfo).port, "127.0.0.1");
    const begun = once(app.fastify.server, "request");
    socket.write(
      `POST /api/v1/cloud/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owner.token}\r\n` +
        `Content-Type: multipart/form-data; boundary=edge\r\nContent-Length: 90000\r\n\r\n--edge\r\n${head}${"x".repeat(1_000)}`,
    );
    const [, response] = await begun;
    while (stored(blobsDir).length === 0) await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
    await once(response, "close");
    while (stored(blobsDir).length > 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual((await owner.get("/files")).body.data, []);
  });
});
