import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { type TestContext, test } from "node:test";
import {
  createGuardedFetch,
  DestinationDenied,
  type GuardedFetchOptions,
  isListedHost,
} from "./guarded-fetch.ts";

async function serve(t: TestContext, listener: RequestListener) {
  let connections = 0;
  const server = createServer(listener).on("connection", () => {
    connections += 1;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { port, connections: () => connections };
}

const guarded = (options: Partial<GuardedFetchOptions> = {}) =>
  createGuardedFetch({ allowPrivate: [], ...options });

test("guarded fetch: private addresses in any notation → reached only if listed", async (t) => {
  const { port, connections } = await serve(t, (_, answer) => answer.end("here"));
  const fetch = guarded();
  for (const host of [
    "127.0.0.1",
    "localhost",
    "a.localhost",
    "2130706433",
    "0x7f.1",
    "127.0.0.1.",
    "[::1]",
  ]) {
    await assert.rejects(fetch(`http://${host}:${port}/`), DestinationDenied, host);
    await assert.rejects(fetch(`https://${host}:${port}/`), DestinationDenied, host);
  }
  await assert.rejects(fetch("http://[::ffff:127.0.0.1]/"), DestinationDenied);
  await assert.rejects(fetch("http://no.such.name.invalid/"), DestinationDenied);
  assert.equal(connections(), 0);
  for (const listed of ["127.0.0.1", `127.0.0.1:${port}`, "127.0.0.0/8"]) {
    const reached = await guarded({ allowPrivate: [listed] })(`http://127.0.0.1:${port}/`);
    assert.equal(await reached.text(), "here", listed);
  }
  const named = await guarded({ allowPrivate: [`localhost:${port}`] })(`http://localhost:${port}/`);
  assert.equal(await named.text(), "here");
  await assert.rejects(
    guarded({ allowPrivate: ["127.0.0.1:1"] })(`http://127.0.0.1:${port}/`),
    DestinationDenied,
  );
});

test("guarded fetch: a signal ends a request whose name is still being resolved", async () => {
  const { promise, resolve } = Promise.withResolvers<string[]>();
  const aborted = new AbortController();
  const fetched = guarded({ resolve: () => promise })("https://slow.example/", { signal: aborted.signal });
  aborted.abort(new Error("too late"));
  await assert.rejects(fetched, /too late/);
  resolve([]);
});

test("guarded fetch: a name is resolved once, and only its permitted addresses are dialled", async (t) => {
  const { port, connections } = await serve(t, (_, answer) => answer.end("here"));
  let asked = 0;
  const resolve = async () => {
    asked += 1;
    return asked === 1 ? ["10.255.255.1", "127.0.0.1"] : ["10.255.255.1"];
  };
  const fetch = guarded({ allowPrivate: ["127.0.0.1"], resolve });
  assert.equal(await (await fetch(`http://rebind.example:${port}/`)).text(), "here");
  assert.equal(asked, 1);
  await assert.rejects(fetch(`http://rebind.example:${port}/`), DestinationDenied);
  assert.equal(connections(), 1);
});

test("guarded fetch: plain HTTP to a public address → denied", async () => {
  const fetch = guarded({ allowPrivate: ["127.0.0.1"], resolve: async () => ["1.1.1.1"] });
  await assert.rejects(fetch("http://public.example/"), DestinationDenied);
  await assert.rejects(fetch("http://1.1.1.1/"), DestinationDenied);
});

test("guarded fetch: method, headers and body arrive; a redirect is returned, not followed", async (t) => {
  const { port } = await serve(t, (request, answer) => {
    if (request.url === "/away") {
      answer.writeHead(307, { location: "/" }).end();
      return;
    }
    request.setEncoding("utf8").on("data", (body) => {
      answer.setHeader(
        "x-seen",
        [request.method, request.headers.authorization, request.headers.host].join(" "),
      );
      answer.writeHead(202).end(body);
    });
  });
  const fetch = guarded({ allowPrivate: ["127.0.0.1"] });
  const answer = await fetch(`http://127.0.0.1:${port}/`, {
    method: "POST",
    headers: { authorization: "Bearer x" },
    body: "hello",
  });
  assert.deepEqual([answer.status, await answer.text()], [202, "hello"]);
  assert.equal(answer.headers.get("x-seen"), `POST Bearer x 127.0.0.1:${port}`);
  assert.equal((await fetch(`http://127.0.0.1:${port}/away`)).status, 307);
});

test("guarded fetch: abort → the request ends", async (t) => {
  const { port } = await serve(t, (_, answer) => {
    answer.write("x".repeat(600));
  });
  const fetch = guarded({ allowPrivate: ["127.0.0.1"] });
  const stop = new AbortController();
  const begun = await fetch(`http://127.0.0.1:${port}/endless`, { signal: stop.signal });
  const reading = begun.text();
  stop.abort();
  await assert.rejects(reading);
  await assert.rejects(fetch(`http://127.0.0.1:${port}/`, { signal: stop.signal }), { name: "AbortError" });
});

test("isListedHost: by name, address or network", () => {
  const listed = (entry: string, url: string) => isListedHost([entry], url);
  assert.ok(listed("mcp.internal", "http://mcp.internal:8080/mcp"));
  assert.ok(listed("mcp.internal:8080", "http://mcp.internal:8080/mcp"));
  assert.ok(listed("10.0.0.0/8", "http://10.1.2.3/"));
  assert.ok(listed("fd00::/8", "http://[fd00::1]/"));
  assert.ok(!listed("mcp.internal:8080", "http://mcp.internal/"));
  assert.ok(!listed("10.0.0.0/8", "http://mcp.internal/"));
  assert.ok(!listed("10.0.0.0/8", "http://1.1.1.1/"));
  assert.ok(!isListedHost([], "http://127.0.0.1/"));
});

test("guarded fetch: an invalid HTTP status → rejects and closes the connection", {
  timeout: 60_000,
}, async (t) => {
  const closed = Promise.withResolvers<void>();
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined).on("close", () => closed.resolve());
    socket.once("data", () => socket.write("HTTP/1.1 999 X\r\ncontent-length: 9\r\n\r\nmore"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const fetch = guarded({ allowPrivate: ["127.0.0.1"] });
  await assert.rejects(fetch(`http://127.0.0.1:${port}/`));
  await closed.promise;
});
