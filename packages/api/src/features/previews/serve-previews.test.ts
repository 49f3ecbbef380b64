// The subject is what the hosts of previews serve; the sandbox is a server of this process.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { type Caller, testApp, type Wire } from "../../../test-support/http.ts";
import { type Connection, PreviewLinks } from "./preview-links.ts";

/** Connections to one server, instead of to ports of sandboxes. */
class LocalLinks extends PreviewLinks {
  port = 0;
  reason: "asleep" | "unreachable" | null = null;
  open = 0;
  most = 0;

  override async connect(): Promise<Connection> {
    if (this.reason !== null) return { ok: false, reason: this.reason };
    const stream = connect(this.port, "127.0.0.1");
    await once(stream, "connect");
    this.open += 1;
    this.most = Math.max(this.most, this.open);
    stream.once("close", () => {
      this.open -= 1;
    });
    return { ok: true, stream };
  }
}

interface Served {
  owner: Caller;
  session: Wire;
  links: LocalLinks;
  /** Sends a request to a host at the service's address. */
  call(
    host: string,
    path: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; text: string }>;
  socket(preview: Wire): Promise<Socket>;
  db: Awaited<ReturnType<typeof testApp>>["db"];
}

async function served(
  t: TestContext,
  program: Server,
  deps: Parameters<typeof testApp>[1] = {},
): Promise<Served> {
  program.listen(0, "127.0.0.1");
  await once(program, "listening");
  t.after(() => {
    program.close();
    program.closeAllConnections();
  });
  const links = new LocalLinks({} as never);
  links.port = (program.address() as AddressInfo).port;
  const { app, caller, db } = await testApp(t, { ...deps, previewLinks: links });
  await app.fastify.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.fastify.server.address() as AddressInfo;
  const owner = await caller();
  const agent = await owner.made("/agents", { name: "example", model: "rehearsal/steps" });
  const environment = await owner.made("/environments", { name: "example" });
  const session = await owner.made("/sessions", { agent: agent.id, environment_id: environment.id });
  const open = (host: string, path: string, headers: Record<string, string>) =>
    request({ host: "127.0.0.1", port, path, agent: false, headers: { host, ...headers } });
  return {
    ...{ owner, session, links, db },
    async call(host, path, headers = {}) {
      const [response] = (await once(open(host, path, headers).end(), "response")) as [IncomingMessage];
      return { status: response.statusCode ?? 0, text: await text(response) };
    },
    async socket(preview) {
      const sent = open(hostOf(preview), "/", {
        ...bearer(preview),
        connection: "Upgrade",
        upgrade: "websocket",
      });
      const [, socket] = await once(sent.end(), "upgrade");
      return socket;
    },
  };
}

const hostOf = (preview: Wire) => new URL(preview.url).host;
const bearer = (preview: Wire) => ({ authorization: `Bearer ${new URL(preview.url).hash.slice(1)}` });

/** A program that echoes what its web sockets get, and otherwise says hello. */
function echoing(): Server {
  const server = createServer((_request, response) => response.end("hello"));
  server.on("upgrade", (_request, socket) => {
    socket.on("error", () => undefined);
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    socket.pipe(socket);
  });
  return server;
}

test("a preview that expires: open web sockets are closed, and its host is 410", async (t) => {
  const { owner, session, call, socket, db } = await served(t, echoing());
  const made = await owner.made(`/sessions/${session.id}/previews`, { port: 5173 });
  assert.deepEqual(await call(hostOf(made), "/", bearer(made)), { status: 200, text: "hello" });
  // The token is for one time of expiry, so the row is changed by less than the milliseconds that it shows.
  const later = await owner.made(`/sessions/${session.id}/previews`, { port: 5173, expires_in_seconds: 60 });
  await db.write.query({
    text: "update port_previews set expires_at = date_trunc('milliseconds', now()) + interval '3 seconds' where expires_at < now() + interval '1 hour'",
  });
  const { data } = (await owner.get(`/sessions/${session.id}/previews`)).body;
  const soon = data.find(({ id }: Wire) => id === later.id);
  const opened = await socket(soon);
  opened.write("open");
  assert.equal(String((await once(opened, "data"))[0]), "open");
  assert.equal((await call(hostOf(soon), "/", bearer(later))).status, 401);
  await once(opened, "close");
  assert.equal((await call(hostOf(soon), "/", bearer(soon))).status, 410);
  assert.equal((await call(hostOf(made), "/", bearer(made))).status, 200);
});

test("hosts: those of previews reach no route, and all others no preview", async (t) => {
  const previewUrl = "https://*.previews.example.com";
  const { owner, session, call } = await served(t, echoing(), { previewUrl });
  const made = await owner.made(`/sessions/${session.id}/previews`, { port: 5173 });
  const own = hostOf(made);
  const label = own.split(".")[0];
  assert.match(own, /^[a-z2-7]{26}\.previews\.example\.com$/);
  for (const host of [own, `${own}:8443`, own.toUpperCase(), `${own}.`, `${label}.localhost`])
    assert.deepEqual(await call(host, "/", bearer(made)), { status: 200, text: "hello" }, host);
  const none = "a".repeat(26);
  for (const host of [
    `${none}.localhost`,
    `${none}.previews.example.com`,
    "x.previews.example.com",
    `a.${own}`,
  ]) {
    const reply = await call(host, "/healthz", bearer(made));
    assert.equal(reply.status, 410, host);
    assert.doesNotMatch(reply.text, /request_id/);
  }
  for (const host of [
    "localhost",
    "previews.example.com",
    "127.0.0.1",
    `${label}.example.com`,
    `x.${label}.localhost`,
  ])
    assert.match((await call(host, "/no-route", bearer(made))).text, /request_id/, host);
});

test("a host that a trusted proxy forwards counts, and that of anybody else does not", async (t) => {
  for (const trustedProxies of [["127.0.0.1"], []]) {
    const { owner, session, call } = await served(t, echoing(), { trustedProxies });
    const made = await owner.made(`/sessions/${session.id}/previews`, { port: 5173 });
    const headers = { ...bearer(made), "x-forwarded-host": hostOf(made) };
    const reply = await call("berth.internal", "/", headers);
    assert.equal(reply.text === "hello", trustedProxies.length > 0);
  }
});

test("https: the cookie is secure, and bound to its host by its name", async (t) => {
  const previewUrl = "https://*.previews.example.com";
  const { owner, session, call } = await served(t, echoing(), { previewUrl });
  const made = await owner.made(`/sessions/${session.id}/previews`, { port: 5173 });
  const token = new URL(made.url).hash.slice(1);
  const cookie = (name: string) => call(hostOf(made), "/", { cookie: `${name}=${token}` });
  assert.equal((await cookie("berth-preview")).status, 401);
  assert.equal((await cookie("__Host-berth-preview")).status, 200);
});

test("no connection: each reason is told", async (t) => {
  const { owner, session, call, links } = await served(t, echoing());
  const made = await owner.made(`/sessions/${session.id}/previews`, { port: 5173 });
  for (const [reason, said] of [
    ["asleep", /asleep/],
    ["unreachable", /BERTH_PREVIEW_ADDRESS/],
  ] as const) {
    links.reason = reason;
    const reply = await call(hostOf(made), "/", bearer(made));
    assert.equal(reply.status, 503);
    assert.match(reply.text, said);
  }
});

test("connections: few for many requests, used again, and closed when none comes", async (t) => {
  const { owner, session, call, links } = await served(t, echoing());
  const made = await owner.made(`/sessions/${session.id}/previews`, { port: 5173 });
  const all = await Promise.all(Array.from({ length: 100 }, () => call(hostOf(made), "/", bearer(made))));
  assert.ok(all.every(({ status }) => status === 200));
  assert.ok(links.most <= 21, `${links.most} connections`);
});
