// Subject: calls of the cluster's API while its server is down. The client is real; the server is a program
// of the test.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { patientApi } from "./patient-api.ts";

const POD = { name: "a", namespace: "default" };

/** Returns a server that listens only after `listen` is called, and a client of it. */
async function away(t: TestContext, respond: RequestListener) {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    respond(request, response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  await close();
  t.after(close);
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: "c", server: `http://127.0.0.1:${port}`, skipTLSVerify: true },
    { name: "u" },
  );
  const listen = async () => await once(server.listen(port, "127.0.0.1"), "listening");
  const plain = config.makeApiClient(CoreV1Api);
  return { api: patientApi(plain), plain, listen };
}

test("a call waits for a server that does not listen, ends a connection, or is not ready", async (t) => {
  const answers: RequestListener[] = [
    (request) => request.socket.destroy(),
    (_, response) => response.writeHead(503).end("{}"),
    (_, response) => response.end(JSON.stringify({ metadata: { name: "a" } })),
  ];
  const { api, plain, listen } = await away(t, (request, response) => answers.shift()?.(request, response));
  const called = api.readNamespacedPod(POD);
  await assert.rejects(plain.readNamespacedPod(POD), { message: "fetch failed" });
  await listen();
  assert.equal((await called).metadata?.name, "a");
  assert.equal(answers.length, 0);
});

test("what the server refuses is refused at once, in its own words and nothing else", async (t) => {
  const answers = [
    "{}",
    JSON.stringify({ kind: "Status", message: 'pods "a" is forbidden: exceeded quota: few' }),
  ];
  const { api, listen } = await away(t, (_, response) => response.writeHead(403).end(answers.shift()));
  await listen();
  await assert.rejects(api.readNamespacedPod(POD), { code: 403, message: "the API server answered 403" });
  const message = 'pods "a" is forbidden: exceeded quota: few';
  await assert.rejects(api.readNamespacedPod(POD), { code: 403, message });
  assert.equal(answers.length, 0);
});
