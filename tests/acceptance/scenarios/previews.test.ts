import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { after } from "node:test";
import { type AnyJson, assertError } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeEnvironment, makeSession, runTurn, toolResults } from "../harness/fixtures.ts";
import { checkEventStream, startPortServer } from "../harness/port-server.ts";
import { PreviewClient } from "../harness/preview-client.ts";
import { waitUntil } from "../harness/wait-until.ts";

const settings = { BERTH_SANDBOX_IDLE_SECONDS: "1", BERTH_MAX_KEEP_ALIVE_SECONDS: "7200" };
const berth = await Berth.start({ settings });
after(() => berth.stop());
const api = await berth.client();
const kept = await makeEnvironment(api, { name: "kept", keep_alive_seconds: 7_200 });

async function makePreview(
  session: AnyJson,
  port: number,
): Promise<{ made: AnyJson; client: PreviewClient }> {
  const made = await api.ok("POST", `/sessions/${session.id}/previews`, { port });
  return { made, client: new PreviewClient(made, berth.url) };
}

/** Returns a session whose sandbox stays open, with the server on a port. */
async function served(port: number): Promise<AnyJson> {
  const session = await makeSession(api, { environment_id: kept.id });
  await startPortServer(api, session, port);
  return session;
}

async function socketOf(client: PreviewClient): Promise<Socket> {
  const socket = await client.socket();
  if ("statusCode" in socket) assert.fail(`the web socket was refused: ${socket.statusCode}`);
  return socket as Socket;
}

async function echoed(socket: Socket, said: string): Promise<string> {
  socket.write(said);
  let got = "";
  while (got.length < said.length) got += String((await once(socket, "data"))[0]);
  return got;
}

/** Waits until the sandbox is closed, by a port that nothing uses, since a preview that works keeps it open. */
async function untilAsleep(parked: AnyJson): Promise<void> {
  const { client } = await makePreview(parked, 5999);
  await waitUntil(
    async () => (await client.call("/")).status === 503,
    () => "the sandbox is not asleep",
  );
}

const session = await served(5173);

covers(
  ["preview-forward", "preview-own-origin"],
  "preview: requests, bodies, streams and web sockets reach the program, and its responses come back",
  async () => {
    const { client } = await makePreview(session, 5173);
    const page = await client.call("/");
    assert.deepEqual([page.status, page.text], [200, "<title>App</title><h1>Hello from the sandbox</h1>"]);
    const head = await client.call("/", { method: "HEAD" });
    assert.deepEqual(
      [head.status, head.headers["content-length"], head.text],
      [200, `${page.text.length}`, ""],
    );
    assert.deepEqual(
      [(await client.call("/missing")).status, (await client.call("/missing")).text],
      [404, "no such page"],
    );
    assert.equal((await client.call("/large")).text.length, 5_000_000);
    await assert.rejects(client.call("/cut"));
    const body = randomBytes(4_000_000);
    assert.equal((await client.call("/count", { method: "POST" }, body)).text, `${body.length}`);
    const chunked = client.open("/count", { method: "PUT", headers: { "transfer-encoding": "chunked" } });
    for (let at = 0; at < body.length; at += 100_000) chunked.write(body.subarray(at, at + 100_000));
    chunked.end();
    const [counted] = (await once(chunked, "response")) as [IncomingMessage];
    assert.equal(String((await once(counted, "data"))[0]), `${body.length}`);
    counted.destroy();

    await checkEventStream(api, session, client);

    const socket = await socketOf(client);
    for (const said of ["hello", "\x1e", "x".repeat(200_000)]) assert.equal(await echoed(socket, said), said);
    socket.destroy();

    const many = await Promise.all(Array.from({ length: 40 }, () => client.call("/head")));
    assert.ok(many.every(({ status }) => status === 200));
    const moved = await client.call("/moved");
    assert.equal(moved.headers.location, `${client.origin}/?a=b`);
  },
);

covers(
  ["preview-secrets", "preview-own-origin"],
  "preview: the program sees a browser of its own machine, and neither secrets nor cookies of Berth",
  async () => {
    const { client } = await makePreview(session, 5173);
    const { text } = await client.call("/head", {
      headers: {
        authorization: undefined,
        cookie: `a=1; berth-preview=${client.token}; b=2`,
        origin: client.origin,
        referer: `${client.origin}/page`,
        "x-forwarded-for": "10.1.2.3",
        "accept-language": "de",
      },
    });
    assert.match(text, /^host: localhost:5173\r$/im);
    assert.match(text, /^origin: http:\/\/localhost:5173\r$/im);
    assert.match(text, /^referer: http:\/\/localhost:5173\/page\r$/im);
    assert.match(text, /^cookie: a=1; b=2\r$/im);
    assert.match(text, /^accept-language: de\r$/im);
    assert.doesNotMatch(text, /10\.1\.2\.3|berth-preview|authorization/i);
    assert.doesNotMatch((await client.call("/head")).text, /authorization|Bearer/i);
    const own = await client.call("/head", {
      headers: { authorization: "Bearer of-the-app", cookie: `berth-preview=${client.token}` },
    });
    assert.match(own.text, /^authorization: Bearer of-the-app\r$/im);
    const { headers } = await client.call("/login");
    assert.deepEqual(headers["set-cookie"], ["app=1; Path=/"]);
    assert.equal(headers["strict-transport-security"], undefined);
  },
);

covers(
  ["preview-entry", "preview-own-origin"],
  "preview: the address gives a cookie of its own origin; without it nothing is served, and no API",
  async () => {
    const { made, client } = await makePreview(session, 5173);
    const bare = { headers: { authorization: undefined, accept: "text/html" } };
    const entry = await client.call("/.berth/enter", bare);
    assert.equal(entry.status, 200);
    assert.match(String(entry.headers["content-security-policy"]), /script-src 'sha256-/);
    assert.equal(entry.headers["referrer-policy"], "no-referrer");
    assert.equal(entry.headers["cache-control"], "no-store");
    const enter = (token: string, origin: string | undefined) =>
      client.call("/.berth/enter", { method: "POST", headers: { authorization: undefined, origin } }, token);
    assert.equal((await enter(client.token, "http://other.localhost")).status, 403);
    assert.equal((await enter(client.token, undefined)).status, 403);
    assert.equal((await enter(`${client.token}x`, client.origin)).status, 401);
    assert.equal(
      (await enter("x".repeat(100_000), client.origin).catch(() => ({ status: 401 }))).status,
      401,
    );
    const entered = await enter(client.token, client.origin);
    assert.equal(entered.status, 200);
    const [cookie = ""] = entered.headers["set-cookie"] ?? [];
    assert.match(cookie, /^berth-preview=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    const withCookie = { authorization: undefined, cookie: cookie.split(";")[0] };
    assert.equal((await client.call("/", { headers: withCookie })).status, 200);

    const refused = await client.call("/", bare);
    assert.equal(refused.status, 401);
    assert.match(refused.text, /berth sessions open/);
    assert.doesNotMatch((await client.call("/", { headers: { authorization: undefined } })).text, /</);
    const token = await berth.token();
    for (const path of ["/api/v1/cloud/sessions", "/console", "/healthz", "/openapi.json"]) {
      const reply = await client.call(path, { headers: { authorization: `Bearer ${token}` } });
      assert.equal(reply.status, 401, path);
      assert.equal((await client.call(path)).text, "no such page", path);
    }
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
    ]) {
      for (const method of ["GET", "POST"])
        assert.equal(
          (await client.call("/", { method, headers: { ...withCookie, ...headers } })).status,
          403,
        );
      const socket = await client.socket({ ...withCookie, ...headers });
      assert.equal("statusCode" in socket && socket.statusCode, 403);
      socket.destroy();
    }
    const link = {
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
    };
    assert.equal((await client.call("/", { headers: { ...withCookie, ...link } })).status, 200);
    assert.equal(
      (await client.call("/", { method: "POST", headers: { ...withCookie, ...link } })).status,
      403,
    );

    const other = await makePreview(session, 5173);
    assert.equal(
      (await other.client.call("/", { headers: { authorization: `Bearer ${client.token}` } })).status,
      401,
    );
    const stranger = await berth.client({ user: "stranger@example.com", org: "elsewhere" });
    const path = `/sessions/${session.id}/previews`;
    assertError(await stranger.get(path), 403, "permission_error");
    assertError(await stranger.post(path, { port: 5173 }), 403, "permission_error");
    assertError(await stranger.get(`${path}/${made.id}`), 403, "permission_error");
  },
);

covers(
  ["preview-ends"],
  "preview: its deletion closes open connections, and its address is gone",
  async () => {
    const { made, client } = await makePreview(session, 5173);
    const socket = await socketOf(client);
    assert.equal(await echoed(socket, "open"), "open");
    const closed = once(socket, "close");
    await api.ok("DELETE", `/sessions/${session.id}/previews/${made.id}`);
    await closed;
    const gone = await client.call("/");
    assert.equal(gone.status, 410);
    assert.match(gone.text, /has ended/);
    const refused = await client.socket();
    assert.equal("statusCode" in refused && refused.statusCode, 410);
    refused.destroy();
    const other = await makeSession(api);
    const { client: archived } = await makePreview(other, 5173);
    await api.ok("POST", `/sessions/${other.id}/archive`);
    assert.equal((await archived.call("/")).status, 410);
  },
);

covers(
  ["preview-asleep"],
  "preview: nothing listens, and a sandbox that is closed is not opened",
  async () => {
    const { client: unused } = await makePreview(session, 5999);
    const nothing = await unused.call("/", { headers: { accept: "text/html" } });
    assert.equal(nothing.status, 502);
    assert.match(nothing.text, /Nothing listens on port 5999/);
    const parked = await makeSession(api);
    await startPortServer(api, parked, 5173);
    await untilAsleep(parked);
    const { client } = await makePreview(parked, 5173);
    const asleep = await client.call("/");
    assert.match(asleep.text, /asleep/);
    const { data } = await api.ok("GET", `/sessions/${parked.id}/events?limit=100`);
    const started = data.filter(({ type }: AnyJson) => type === "session.container_started");
    assert.equal(started.length, 1);
  },
);

covers(["preview-keeps"], "preview: while it is used, the sandbox stays open", async () => {
  const used = await makeSession(api);
  await startPortServer(api, used, 5173);
  const { client } = await makePreview(used, 5173);
  const socket = await socketOf(client);
  // Another session that nobody uses loses its sandbox meanwhile, twice.
  for (const name of ["first", "second"]) {
    const other = await makeSession(api);
    await startPortServer(api, other, 5173);
    const [said] = toolResults(await runTurn(api, other.id, bash(`echo ${name}`)));
    assert.match(said ?? "", new RegExp(name));
    await untilAsleep(other);
  }
  assert.equal(await echoed(socket, "still"), "still");
  socket.destroy();
  assert.equal((await client.call("/")).status, 200);
});

covers(["preview-metrics"], "preview: its requests are counted, by class of status", async () => {
  const { client } = await makePreview(session, 5173);
  const count = async (labels: string) => {
    const text = await (await fetch(`${berth.url}/metrics`)).text();
    return Number(new RegExp(`^berth_preview_${labels} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
  };
  const FOUND = 'requests_total\\{kind="request",status="2xx"\\}';
  const MISSING = 'requests_total\\{kind="request",status="4xx"\\}';
  const SWITCHED = 'requests_total\\{kind="web_socket",status="1xx"\\}';
  const OPEN = 'exchanges\\{kind="web_socket"\\}';
  const isOpen = (number: number) =>
    waitUntil(
      async () => (await count(OPEN)) === number,
      () => `not ${number} web sockets are counted`,
    );
  await isOpen(0);
  const before = await Promise.all([FOUND, MISSING, SWITCHED].map(count));
  await client.call("/");
  await client.call("/missing");
  const socket = await socketOf(client);
  await isOpen(1);
  socket.destroy();
  await isOpen(0);
  await waitUntil(
    async () =>
      (await Promise.all([FOUND, MISSING, SWITCHED].map(count))).every((now, at) => now > (before[at] ?? 0)),
    () => "a request is not counted",
  );
});

covers(["preview-not-by-sandboxes"], "preview: no sandbox reaches one", async () => {
  const { client } = await makePreview(session, 5173);
  const open = await makeEnvironment(api, {
    name: "open",
    config: { type: "cloud", networking: { type: "unrestricted" } },
  });
  const other = await makeSession(api, { environment_id: open.id });
  const { host, port } = new URL(berth.url);
  const name = new URL(client.origin).hostname;
  for (const command of [
    `curl -sS -m 20 -H 'Authorization: Bearer ${client.token}' ${client.origin}/`,
    `curl -sS -m 20 -H 'Authorization: Bearer ${client.token}' -H 'Host: ${name}:${port}' http://${host}/`,
    `curl -sS -m 20 -H 'Authorization: Bearer ${client.token}' --resolve ${name}:${port}:127.0.0.1 ${client.origin}/`,
  ]) {
    const [said = ""] = toolResults(await runTurn(api, other.id, bash(`${command}; echo exit $?`)));
    assert.doesNotMatch(said, /Hello from the sandbox/);
    assert.doesNotMatch(said, /exit 0/);
  }
});
