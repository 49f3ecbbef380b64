import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, type TestContext, test } from "node:test";
import { createGuardedFetch, type GuardedFetch } from "@berth/egress";
import { makeWorkbench, type Workbench } from "../../../test-support/workspace.ts";
import { listRefs } from "./list-refs.ts";
import { flush, line } from "./pkt-line.ts";

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
  listRefs({ url: `${bench.host.url}/acme/${name}`, secret }, { fetch });

test("a credential that may read gets the refs, which are the server's", async () => {
  const refs = await list("widget", bench.token);
  assert.equal(refs?.head, "refs/heads/main");
  assert.equal(refs?.objects.get("refs/heads/main"), await bench.host.head("acme", "widget", "main"));
  assert.equal((await list("open", null))?.head, "refs/heads/main");
});

test("whoever may not read gets nothing, and what is not there is nothing", async () => {
  const other = bench.host.createToken({ user: "o", permissions: "read", repositories: ["acme/open"] });
  assert.equal(await list("widget", other), null);
  assert.equal(await list("widget", null), null);
  assert.equal(await list("widget", "wrong"), null);
  assert.equal(await list("absent", bench.token), null);
  bench.host.revokeToken(other);
  assert.equal(await list("open", other), null);
});

test("an empty repository has no refs and no head", async () => {
  const refs = await list("empty", bench.token);
  assert.deepEqual([refs?.head, refs?.objects.size], [null, 0]);
});

test("an address that may not be reached, and an authority that nobody trusts, are nothing", async () => {
  const repository = { url: `${bench.host.url}/acme/open`, secret: null };
  assert.equal(await listRefs(repository, { fetch: createGuardedFetch({ allowPrivate: [] }) }), null);
  const untrusting = createGuardedFetch({ allowPrivate: [bench.host.host] });
  assert.equal(await listRefs(repository, { fetch: untrusting }), null);
});

async function hostile(t: TestContext, listener: RequestListener) {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const reach = createGuardedFetch({ allowPrivate: ["127.0.0.1"] });
  return (signal?: AbortSignal) =>
    listRefs(
      { url: `http://127.0.0.1:${port}/a/b`, secret: "secret-of-the-test" },
      { fetch: reach, ...(signal === undefined ? {} : { signal }) },
    );
}

const type = (kind: string) => ({ "content-type": `application/x-git-upload-pack-${kind}` });
const offer = line("version 2\n") + line("ls-refs\n") + flush;

test("a redirect is not followed, and the login goes nowhere else", async (t) => {
  const asked: string[] = [];
  const ask = await hostile(t, (request, answer) => {
    asked.push(request.url ?? "");
    answer.writeHead(302, { location: "/elsewhere" }).end();
  });
  assert.equal(await ask(), null);
  assert.deepEqual(asked, ["/a/b/info/refs?service=git-upload-pack"]);
});

test("a host that sends without end is left, and one that says nothing is not waited for", async (t) => {
  const closed = Promise.withResolvers<void>();
  const flood = await hostile(t, (request, answer) => {
    if (request.method === "GET") return void answer.writeHead(200, type("advertisement")).end(offer);
    answer.on("close", () => closed.resolve());
    answer.writeHead(200, type("result"));
    const more = Buffer.alloc(1024 * 1024, line(`${"1".repeat(40)} refs/heads/a\n`));
    const send = (): void => {
      while (!answer.destroyed && answer.write(more)) {}
    };
    answer.on("drain", send);
    send();
  });
  assert.equal(await flood(), null);
  await closed.promise;

  const asked = Promise.withResolvers<void>();
  const silent = await hostile(t, () => asked.resolve());
  const stop = new AbortController();
  const answer = silent(stop.signal);
  await asked.promise;
  stop.abort();
  assert.equal(await answer, null);
});

test("version 0, a web page and a wrong kind of answer are nothing", async (t) => {
  const answers: [Record<string, string>, string][] = [
    [
      type("advertisement"),
      `${line("# service=git-upload-pack\n")}${flush}${line(`${"1".repeat(40)} HEAD\0agent=x\n`)}${flush}`,
    ],
    [{ "content-type": "text/html" }, "<html>"],
    [type("result"), offer],
    [type("advertisement"), ""],
  ];
  for (const [headers, body] of answers) {
    const ask = await hostile(t, (_, answer) => void answer.writeHead(200, headers).end(body));
    assert.equal(await ask(), null, body);
  }
});
