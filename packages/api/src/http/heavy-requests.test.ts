import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { test } from "node:test";
import { operations, parseId } from "@berth/contract";
import fastify from "fastify";
import { type Caller, testApp } from "../../test-support/http.ts";
import { HeavyRequests } from "./heavy-requests.ts";

const AT_ONCE = 8;
const HOUR_MS = 3_600_000;

test("pages that nobody reads: a user's ninth waits until one is given up, and others are served", {
  timeout: 300_000,
}, async (t) => {
  const { app, caller, db } = await testApp(t);
  // With the default, a slow machine would disconnect the first client before the last one's response begins.
  app.heavyRequests = new HeavyRequests(HOUR_MS);
  const [greedy, other] = await Promise.all([caller(), caller({ email: "other@example.com" })]);
  const agent = await greedy.made("/agents", { name: "a", model: "rehearsal/steps" });
  const environment = await greedy.made("/environments", { name: "e" });
  const session = await greedy.made("/sessions", { agent: agent.id, environment_id: environment.id });
  // The event is larger than the kernel's buffers for a client that does not read.
  await db.write.query({
    text: `insert into events (session_id, seq, id, type, body)
      values ($1, 100, gen_random_uuid(), 'user.message', '{"x":"' || repeat('a', 24000000) || '"}')`,
    values: [parseId("session", session.id)],
  });
  await app.fastify.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.fastify.server.address() as AddressInfo;
  const ask = (path: string, { token }: Caller): Socket => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.on("error", () => undefined);
    t.after(() => socket.destroy());
    socket.write(`GET /api/v1/cloud${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    return socket;
  };
  /** Resolves once the response has begun. The rest is not read. */
  const begun = async (socket: Socket) => {
    await once(socket, "readable");
    return socket;
  };
  const events = `/sessions/${session.id}/events`;
  const first = await Promise.all(Array.from({ length: AT_ONCE }, () => begun(ask(events, greedy))));
  const answered: string[] = [];
  const waiting = ["list", "large body"].map(async (name) => {
    const body = JSON.stringify({ name: "b", model: "rehearsal/steps", system: "s".repeat(64_500) });
    const { status } = await (name === "list" ? fetchOf("/agents") : fetchOf("/agents", body));
    answered.push(`${name} ${status}`);
  });
  function fetchOf(path: string, body?: string) {
    return fetch(`http://127.0.0.1:${port}/api/v1/cloud${path}`, {
      headers: { authorization: `Bearer ${greedy.token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { method: "POST", body: body.padEnd(65_536 + 1) }),
    });
  }
  // Small requests of the same user, and any requests of others, are served meanwhile.
  const small = await fetchOf(`/agents/${agent.id}`);
  assert.equal(small.status, 200);
  const [seen] = await once(ask("/agents", other), "data");
  assert.match(String(seen), /^HTTP\/1\.1 200 /);
  assert.deepEqual(answered, []);
  first[0]?.destroy();
  await Promise.race(waiting);
  await Promise.all(waiting);
  for (const socket of first) socket.destroy();
  assert.deepEqual(answered.toSorted(), ["large body 400", "list 200"]);
});

test("a client that takes nothing of its page is disconnected, and its place is free", async (t) => {
  const app = fastify();
  t.after(() => app.close());
  const requests = new HeavyRequests(2000);
  const page = "a".repeat(24_000_000);
  app.get("/", (request, reply) =>
    requests.run("one", operations.agents.list, request, reply, async () => page),
  );
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      const socket = connect({ port, host: "127.0.0.1" });
      t.after(() => socket.destroy());
      socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      await once(socket, "readable");
    }),
  );
  const response = await fetch(`http://127.0.0.1:${port}`);
  assert.equal((await response.text()).length, page.length);
});
