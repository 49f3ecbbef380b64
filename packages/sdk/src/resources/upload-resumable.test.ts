import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { startRealService } from "../../test-support/real-service.ts";
import { Berth } from "../client.ts";

const megabyte = 1_048_576;

/** Starts a proxy that closes the next `cutsLeft` connections after `cutAfter` bytes from the client. */
async function startCuttingProxy(t: TestContext, target: string) {
  const proxy = { url: "", cutsLeft: 0, cutAfter: 0, cuts: 0, onCut: async () => {} };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const service = connect(Number(new URL(target).port), "127.0.0.1");
    let seen = 0;
    for (const socket of [client, service]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        client.destroy();
        service.destroy();
      });
    }
    client.on("data", (chunk: Buffer) => {
      seen += chunk.length;
      if (proxy.cutsLeft === 0 || seen < proxy.cutAfter) return;
      proxy.cutsLeft -= 1;
      proxy.cuts += 1;
      proxy.onCut().finally(() => client.destroy());
    });
    client.pipe(service).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}

test("uploadResumable: connections break and the service is killed → the upload completes", {
  timeout: 300_000,
}, async (t) => {
  const service = await startRealService(t);
  const proxy = await startCuttingProxy(t, service.url);
  // A service that is killed may take a minute to start again, while the machine is busy.
  const client = new Berth({ baseURL: proxy.url, token: service.token, maxRetries: 7 });
  const content = new Uint8Array(randomBytes(20 * megabyte));
  const seen: number[] = [];
  const upload = (partSize: number) =>
    client.files.uploadResumable(
      { name: "a.bin", content },
      { partSize, metadata: { a: "b" }, onProgress: ({ uploaded }) => seen.push(uploaded) },
    );

  Object.assign(proxy, { cutsLeft: 2, cutAfter: 6 * megabyte });
  const cut = await upload(8 * megabyte);
  assert.equal(proxy.cuts, 2);
  assert.deepEqual([cut.status, cut.size_bytes, cut.metadata], ["ready", content.length, { a: "b" }]);
  assert.equal(cut.sha256, createHash("sha256").update(content).digest("hex"));
  assert.deepEqual(
    seen,
    seen.toSorted((one, other) => one - other),
  );
  assert.equal(seen.at(-1), content.length);

  Object.assign(proxy, { cutsLeft: 1, cutAfter: 12 * megabyte, onCut: service.crash });
  const survived = await upload(2 * megabyte);
  assert.deepEqual([survived.status, survived.sha256], ["ready", cut.sha256]);
  assert.deepEqual((await (await client.files.content(survived.id)).bytes()).length, content.length);
});

test("uploadResumable: a file_id → an earlier upload is resumed", { timeout: 600_000 }, async (t) => {
  const service = await startRealService(t);
  const client = new Berth({ baseURL: service.url, token: service.token });
  const begun = await client.files.create({ filename: "a.txt", size_bytes: 10 });
  await client.files.putContent(begun.id, "01234", { part: { start: 0, total: 10 } });
  assert.equal((await client.files.putContent(begun.id, "", { part: { start: 0 } })).uploaded_bytes, 5);
  const done = await client.files.uploadResumable(
    { name: "a.txt", content: "0123456789" },
    { file_id: begun.id, partSize: 2 },
  );
  assert.equal(await (await client.files.content(done.id)).text(), "0123456789");
  const empty = await client.files.uploadResumable(new File([], "empty"));
  assert.deepEqual([empty.status, empty.size_bytes], ["ready", 0]);
});
