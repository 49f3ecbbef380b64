import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { type TestContext, test } from "node:test";
import { Signal } from "@berth/concurrency";
import { createLog, createRedactor } from "@berth/store/log";
import { type Caller, type TestApp, testApp, type Wire } from "../../test-support/http.ts";
import type { AppDeps } from "../app/app.ts";

const CANARY = "canary-of-a-client";
/** Timeout of tests that wait for lines. */
const WITHIN = { timeout: 60_000 };

interface Logged extends TestApp {
  url: string;
  port: number;
  owner: Caller;
  /** All lines so far. */
  lines: Wire[];
  /** Resolves to the line of a request, once it is written. */
  line(requestId: string): Promise<Wire>;
}

async function logged(t: TestContext, deps: Partial<AppDeps> = {}): Promise<Logged> {
  const lines: Wire[] = [];
  const news = new Signal();
  const log = createLog("debug", createRedactor(), (line) => {
    lines.push(JSON.parse(line));
    news.set();
  });
  const app = await testApp(t, { log, ...deps });
  await app.app.fastify.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.app.fastify.server.address() as AddressInfo;
  const line = async (requestId: string): Promise<Wire> => {
    for (;;) {
      news.reset();
      const found = lines.find((one) => one.request_id === requestId && one.msg === "request ended");
      if (found !== undefined) return found;
      await news.wait();
    }
  };
  return { ...app, port, url: `http://127.0.0.1:${port}`, owner: await app.caller(), lines, line };
}

/** Returns everything that the server sends for these bytes until it closes. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const received: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => received.push(chunk)).on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(bytes);
  await closed;
  return Buffer.concat(received).toString();
}

test("a request → one line with ids and numbers, at info", WITHIN, async (t) => {
  const { url, owner, line, lines } = await logged(t);
  const agent = await owner.made("/agents", { name: CANARY, model: "rehearsal/steps" });
  const environment = await owner.made("/environments", { name: CANARY });
  const session = await owner.made("/sessions", { agent: agent.id, environment_id: environment.id });
  const headers = { authorization: `Bearer ${owner.token}`, "x-request-id": "the-request" };
  await (await fetch(`${url}/api/v1/cloud/sessions/${session.id}?x=${CANARY}`, { headers })).text();
  const { time, pid, version, milliseconds, user, organization, ...rest } = await line("the-request");
  assert.deepEqual(rest, {
    level: 30,
    request_id: "the-request",
    operation: "sessions.get",
    status: 400,
    session: session.id,
    error: "invalid_request_error",
    param: "x",
    client: "127.0.0.1",
    ended: "complete",
    msg: "request ended",
  });
  assert.match(user, /^usr_/);
  assert.match(organization, /^org_/);
  assert.ok(milliseconds > 0);
  assert.ok(Date.parse(time) > 0 && pid === process.pid);
  assert.match(version, /^\d+\.\d+\.\d+/);
  assert.equal(lines.filter(({ request_id }) => request_id === "the-request").length, 1);
  assert.ok(!JSON.stringify(lines).includes(CANARY));
});

test(
  "every request id that an error response shows → in the log, and nothing else of the request",
  WITHIN,
  async (t) => {
    const { port, owner, line, lines } = await logged(t);
    const head = `HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${owner.token}\r\n`;
    const requests = [
      `GET /nowhere/${CANARY} ${head}\r\n`,
      `GET /%ff${CANARY} ${head}\r\n`,
      `GET /api/v1/cloud/sessions/${CANARY} ${head}\r\n`,
      `GET /api/v1/cloud/sessions/${CANARY.repeat(100)} ${head}\r\n`,
      `GET /api/v1/cloud/agents?limit=${CANARY} ${head}\r\n`,
      `POST /api/v1/cloud/agents ${head}Content-Type: application/json\r\nContent-Length: ${CANARY.length}\r\n\r\n${CANARY}`,
      `POST /api/v1/cloud/files ${head}Expect: 100-continue\r\nContent-Type: ${CANARY}\r\nContent-Length: 900000000\r\n\r\n`,
      `GET /${CANARY} ${head}Expect: ${CANARY}\r\n\r\n`,
      `GET /api/v1/cloud/agents HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${CANARY}\r\n\r\n`,
      `CONNECT ${CANARY}:443 ${head}\r\n`,
      `GET /${CANARY} HTTP/1.1\r\nConnection: close\r\n\r\n`,
      `${CANARY}\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${CANARY.repeat(1_000)}\r\n\r\n`,
    ];
    for (const request of requests) {
      const answer = await raw(port, request);
      const [, shown = ""] = /"request_id":"([^"]+)"/.exec(answer) ?? [];
      const { status, client } = await line(shown);
      assert.equal(status, Number(answer.split(" ")[1]), answer);
      assert.equal(client, "127.0.0.1", answer);
    }
    assert.equal(lines.filter(({ msg }) => msg === "request ended").length, requests.length);
    const text = JSON.stringify(lines);
    assert.ok(!text.includes(CANARY));
    assert.ok(!text.includes(owner.token));
  },
);

test("a stream → one line when it ends, which says how", WITHIN, async (t) => {
  const { app, port, owner, line, lines } = await logged(t);
  const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
  const environment = await owner.made("/environments", { name: "e" });
  const session = await owner.made("/sessions", { agent: agent.id, environment_id: environment.id });
  const open = async (requestId: string) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    const path = `/api/v1/cloud/sessions/${session.id}/events/stream`;
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${requestId}\r\nAuthorization: Bearer ${owner.token}\r\n\r\n`,
    );
    await once(socket, "data");
    return socket.resume();
  };
  (await open("left")).destroy();
  assert.equal((await line("left")).ended, "client_left");
  await open("stopped");
  assert.ok(!lines.some(({ request_id }) => request_id === "stopped"));
  await app.fastify.close();
  const { ended, status, session: named } = await line("stopped");
  assert.deepEqual([ended, status, named], ["stopping", 200, session.id]);
});

test("health and metrics → logged at debug", WITHIN, async (t) => {
  const { url, line } = await logged(t);
  for (const path of ["livez", "readyz", "metrics"]) {
    await (await fetch(`${url}/${path}`, { headers: { "x-request-id": path } })).text();
    assert.equal((await line(path)).level, 20, path);
  }
});

test("off: no request is logged but one that the service failed, with its cause", WITHIN, async (t) => {
  const { app, db, owner, url, port, lines } = await logged(t, { accessLog: "off" });
  await (await fetch(`${url}/livez`)).text();
  await raw(port, "x\r\n\r\n");
  const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
  const environment = await owner.made("/environments", { name: "e" });
  const session = await owner.made("/sessions", { agent: agent.id, environment_id: environment.id });
  await db.write.query({ text: "alter table session_resources rename to lost" });
  const headers = { authorization: `Bearer ${owner.token}` };
  const response = await fetch(`${url}/api/v1/cloud/sessions/${session.id}/resources`, { headers });
  assert.equal(response.status, 500);
  const { request_id } = (await response.json()) as Wire;
  await app.fastify.close();
  assert.ok(!lines.some(({ msg }) => msg === "request ended"));
  const {
    level,
    msg,
    user,
    organization,
    session: named,
    err,
  } = lines.find((line) => line.request_id === request_id) as Wire;
  assert.deepEqual([level, msg, named], [50, "a request failed", session.id]);
  assert.match(`${user} ${organization} ${err.message}`, /^usr_\w+ org_\w+ .*session_resources/);
});

test("a refused request → its line has the error's type, the field and the limit", WITHIN, async (t) => {
  const { url, owner, line, db } = await logged(t, {
    addressLimits: { requests_per_second: 0, request_burst: 1 },
  });
  const send = async (id: string, path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${owner.token}`, "x-request-id": id, ...init.headers };
    await (await fetch(`${url}${path}`, { ...init, headers })).text();
    const { status, error, param, code, limit } = await line(id);
    return [status, error, param, code, limit];
  };
  const agents = "/api/v1/cloud/agents";
  const json = { method: "POST", headers: { "content-type": "application/json" } };
  const invalid = [400, "invalid_request_error"];
  assert.deepEqual(await send("a", `${agents}?limit=0`), [...invalid, "limit", undefined, undefined]);
  const unknown = JSON.stringify({ name: "a", [`${CANARY} with blanks`]: 1 });
  assert.deepEqual(await send("b", agents, { ...json, body: unknown }), [
    ...invalid,
    undefined,
    undefined,
    undefined,
  ]);
  assert.deepEqual(await send("c", `${agents}/agent_none`), [
    404,
    "not_found_error",
    undefined,
    undefined,
    undefined,
  ]);
  assert.deepEqual(await send("d", "/%zz"), [...invalid, undefined, undefined, undefined]);
  const other = { ...json, body: "{}", headers: { ...json.headers, authorization: "" } };
  await send("e", "/api/v1/cloud/device_authorizations", other);
  const limited = await send("f", "/api/v1/cloud/device_authorizations", other);
  assert.deepEqual(limited, [429, "rate_limit_error", undefined, undefined, "address_requests"]);
  await db.write.query({ text: "alter table agents rename to agents_gone" });
  assert.deepEqual((await send("g", agents)).slice(0, 2), [500, "api_error"]);
});

test("every answer of 5xx has a line with its cause", WITHIN, async (t) => {
  const { lines } = await logged(t);
  const log = createLog("info", createRedactor(), (line) => lines.push(JSON.parse(line)));
  const { toApiError } = await import("./render-error.ts");
  const { errors } = await import("@berth/store/errors");
  for (const [id, error] of Object.entries({
    one: new Error("the cause"),
    two: errors.providerUnavailable("https://idp", "the cause"),
    three: errors.internal(),
  })) {
    assert.ok(toApiError(error, log, { request_id: id }).status >= 500);
    const line = lines.find(({ request_id }) => request_id === id);
    assert.deepEqual([line.level, line.msg, line.err.message], [50, "a request failed", error.message]);
  }
  toApiError(errors.featureNotAvailable("threads"), log, { request_id: "four" });
  assert.ok(!lines.some(({ request_id }) => request_id === "four"), "what is not there yet is no fault");
});
