import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, type TestContext, test } from "node:test";
import { createGuardedFetch, type GuardedFetch } from "@berth/egress";
import { makeWorkbench, type Workbench } from "../../../test-support/workspace.ts";
import { createListRefs } from "./list-refs.ts";
import { encodeLine, FLUSH } from "./pkt-line.ts";

let bench: Workbench;
let fetch: GuardedFetch;
before(async () => {
  bench = await makeWorkbench();
  await bench.push(
    "widget",
    "echo a >a && git add a && git branch side 2>/dev/null || true; git tag -f v0 2>/dev/null || true",
  );
  await bench.host.createRepository({ org: "acme", name: "open", private: false, files: { a: "a" } });
  await bench.host.createRepository({ org: "acme", name: "empty", private: true });
  const authorities = [await readFile(bench.host.caFile, "utf8")];
  fetch = createGuardedFetch({ allowPrivate: [bench.host.host], authorities });
});
after(() => bench.close());

const list = (name: string, secret: string | null) =>
  createListRefs(fetch)({ url: `${bench.host.url}/acme/${name}`, secret });

test("list refs: a credential that may read → the refs of the host", async () => {
  const refs = await list("widget", bench.token);
  assert.equal(refs?.head, "refs/heads/main");
  assert.equal(refs?.objects.get("refs/heads/main"), await bench.host.head("acme", "widget", "main"));
  assert.equal((await list("open", null))?.head, "refs/heads/main");
});

test("list refs: no access, or no such repository → null", async () => {
  const other = bench.host.createToken({ user: "o", permissions: "read", repositories: ["acme/open"] });
  assert.equal(await list("widget", other), null);
  assert.equal(await list("widget", null), null);
  assert.equal(await list("widget", "wrong"), null);
  assert.equal(await list("absent", bench.token), null);
  bench.host.revokeToken(other);
  assert.equal(await list("open", other), null);
});

test("list refs: an empty repository → no refs and no head", async () => {
  const refs = await list("empty", bench.token);
  assert.deepEqual([refs?.head, refs?.objects.size], [null, 0]);
});

test("list refs: a blocked address or an untrusted authority → null", async () => {
  const repository = { url: `${bench.host.url}/acme/open`, secret: null };
  assert.equal(await createListRefs(createGuardedFetch({ allowPrivate: [] }))(repository), null);
  const untrusting = createGuardedFetch({ allowPrivate: [bench.host.host] });
  assert.equal(await createListRefs(untrusting)(repository), null);
});

async function hostile(t: TestContext, listener: RequestListener) {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const listHostile = createListRefs(createGuardedFetch({ allowPrivate: ["127.0.0.1"] }));
  return (signal?: AbortSignal) =>
    listHostile({ url: `http://127.0.0.1:${port}/a/b`, secret: "secret-of-the-test" }, signal);
}

const type = (kind: string) => ({ "content-type": `application/x-git-upload-pack-${kind}` });
const offer = encodeLine("version 2\n") + encodeLine("ls-refs\n") + FLUSH;

test("list refs: a redirect → null, and no second request", async (t) => {
  const requests: string[] = [];
  const listHostile = await hostile(t, (request, response) => {
    requests.push(request.url ?? "");
    response.writeHead(302, { location: "/elsewhere" }).end();
  });
  assert.equal(await listHostile(), null);
  assert.deepEqual(requests, ["/a/b/info/refs?service=git-upload-pack"]);
});

test("list refs: a response without end → disconnected; no response → null when the signal aborts", async (t) => {
  const closed = Promise.withResolvers<void>();
  const flood = await hostile(t, (request, response) => {
    if (request.method === "GET") return void response.writeHead(200, type("advertisement")).end(offer);
    response.on("close", () => closed.resolve());
    response.writeHead(200, type("result"));
    const more = Buffer.alloc(1024 * 1024, encodeLine(`${"1".repeat(40)} refs/heads/a\n`));
    const send = (): void => {
      while (!response.destroyed && response.write(more)) {}
    };
    response.on("drain", send);
    send();
  });
  assert.equal(await flood(), null);
  await closed.promise;

  const requested = Promise.withResolvers<void>();
  const silent = await hostile(t, () => requested.resolve());
  const stop = new AbortController();
  const result = silent(stop.signal);
  await requested.promise;
  stop.abort();
  assert.equal(await result, null);
});

test("list refs: version 0, a web page, a wrong content type, or an empty body → null", async (t) => {
  const responses: [Record<string, string>, string][] = [
    [
      type("advertisement"),
      `${encodeLine("# service=git-upload-pack\n")}${FLUSH}${encodeLine(`${"1".repeat(40)} HEAD\0agent=x\n`)}${FLUSH}`,
    ],
    [{ "content-type": "text/html" }, "<html>"],
    [type("result"), offer],
    [type("advertisement"), ""],
  ];
  for (const [headers, body] of responses) {
    const listHostile = await hostile(t, (_, response) => void response.writeHead(200, headers).end(body));
    assert.equal(await listHostile(), null, body);
  }
});

test("list refs: a repository that was listed before → one question, and two again when its host has changed", async (t) => {
  const asked: string[] = [];
  let format = "sha1";
  const listHostile = await hostile(t, async (request, response) => {
    asked.push(request.method ?? "");
    const offered =
      [`version 2\n`, `ls-refs\n`, `object-format=${format}\n`].map(encodeLine).join("") + FLUSH;
    if (request.method === "GET") return void response.writeHead(200, type("advertisement")).end(offered);
    const body = await text(request);
    if (!body.includes(`object-format=${format}\n`)) return void response.writeHead(400).end();
    const object = "1".repeat(format === "sha1" ? 40 : 64);
    response.writeHead(200, type("result")).end(encodeLine(`${object} refs/heads/a\n`) + FLUSH);
  });
  const questions = async () => {
    asked.length = 0;
    assert.equal((await listHostile())?.objects.size, 1);
    return asked.join(" ");
  };
  assert.deepEqual(await questions(), "GET POST");
  assert.deepEqual(await questions(), "POST");
  assert.deepEqual(await questions(), "POST");
  format = "sha256";
  assert.deepEqual(await questions(), "POST GET POST");
  assert.deepEqual(await questions(), "POST");
});

test("list refs: a repository that was listed before, and whose credential was revoked → null", async () => {
  const token = bench.host.createToken({ user: "o", permissions: "read", repositories: ["acme/widget"] });
  const lister = createListRefs(fetch);
  const repository = { url: `${bench.host.url}/acme/widget`, secret: token };
  assert.notEqual(await lister(repository), null);
  assert.equal(await lister({ ...repository, secret: null }), null);
  assert.notEqual(await lister(repository), null);
  bench.host.revokeToken(token);
  assert.equal(await lister(repository), null);
});
