import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { type Caller, type TestApp, testApp } from "../../test-support/http.ts";

async function listening(t: TestContext): Promise<TestApp & { owner: Caller; port: number }> {
  const app = await testApp(t);
  await app.app.fastify.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.app.fastify.server.address() as AddressInfo;
  return { ...app, owner: await app.caller(), port };
}

/** Opens a keep-alive connection. */
async function connection(t: TestContext, port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  t.after(() => socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** Timeout far below that of keep-alive connections. */
const atOnce = { timeout: 60_000 };

describe("closing the service", atOnce, () => {
  test("an open stream → ended with its connection", async (t) => {
    const { app, owner, port } = await listening(t);
    const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
    const environment = await owner.made("/environments", { name: "e" });
    const session = await owner.made("/sessions", { agent: agent.id, environment_id: environment.id });
    const socket = await connection(t, port);
    socket.write(
      `GET /api/v1/cloud/sessions/${session.id}/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owner.token}\r\n\r\n`,
    );
    await once(socket, "data");
    socket.resume();
    await app.fastify.close();
  });

  test("a request in progress → gets its response, then its connection is closed", async (t) => {
    const { app, owner, port } = await listening(t);
    const socket = await connection(t, port);
    const body = JSON.stringify({ name: "late", model: "rehearsal/steps" });
    socket.write(
      `POST /api/v1/cloud/agents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${owner.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    await once(socket, "data");
    const closed = app.fastify.close();
    socket.write(body);
    const [answer] = await once(socket, "data");
    assert.match(String(answer), /^HTTP\/1\.1 200 /);
    await closed;
  });

  test("an idle connection → closed", async (t) => {
    const { app, port } = await listening(t);
    await connection(t, port);
    await app.fastify.close();
  });
});
