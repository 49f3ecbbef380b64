import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { berth } from "../../../test-support/berth.ts";

test("status: a service that is starting is waited for", async (t) => {
  const answers = ["starting", "starting", "sandbox"];
  const server = createServer((request, response) => {
    const reason = request.url === "/readyz" ? answers.shift() : undefined;
    response.writeHead(503, { "content-type": "application/json" }).end(JSON.stringify({ reason }));
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stdout } = await berth(["status"], { env: { BERTH_URL: url, BERTH_TOKEN: "berth_pat_x" } });
  assert.deepEqual([code, stdout], [1, `Berth at ${url} (BERTH_URL): not ready (sandbox)\n`]);
  assert.deepEqual(answers, []);
});

test("status: says that the service is not ready, why, and that nothing answers", async (t) => {
  const server = createServer((request, response) => {
    const body =
      request.url === "/readyz"
        ? { status: "not_ready", reason: "database" }
        : { type: "error", error: { type: "api_error", message: "The database cannot be reached." } };
    response.writeHead(503, { "content-type": "application/json" }).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { BERTH_URL: url, BERTH_TOKEN: "berth_pat_x" };
  const said = (reason: string) => ({
    code: 1,
    stdout: `Berth at ${url} (BERTH_URL): not ready (${reason})\n`,
    stderr: "",
  });
  assert.deepEqual(await berth(["status"], { env }), said("database"));
  const { stdout } = await berth(["status", "--json"], { env });
  assert.deepEqual(JSON.parse(stdout), {
    url,
    from: "BERTH_URL",
    version: null,
    ready: false,
    reason: "database",
    token: null,
  });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  assert.deepEqual(await berth(["status"], { env }), said("no answer"));
});
