import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext } from "node:test";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { makeEnvironment, makeSession } from "../acceptance/harness/fixtures.ts";
import { checkEventStream, startPortServer } from "../acceptance/harness/port-server.ts";
import { PreviewClient } from "../acceptance/harness/preview-client.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { makeCertificates } from "../git-host/certificates.ts";
import { freePort, startCaddy, startNginx, stopProxy } from "./proxy.ts";

const GUIDE = readFileSync(join(import.meta.dirname, "../../docs/guides/previews.md"), "utf8");
const UPLOAD = Buffer.alloc(24 * 1024 * 1024, "x");
const DOMAIN = "*.previews.example.com";

let directory: string;
let berth: Berth;
let api: Api;
let authority: Buffer;
before(async () => {
  directory = mkdtempSync(join(tmpdir(), "berth-preview-proxies-"));
  const { caFile } = await makeCertificates(directory, [DOMAIN]);
  authority = readFileSync(caFile);
  berth = await Berth.start({
    settings: { BERTH_PREVIEW_URL: `https://${DOMAIN}`, BERTH_SANDBOX_IDLE_SECONDS: "600" },
  });
  api = await berth.client();
});
after(async () => {
  await berth.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Returns the guide's example that begins so, with the test's addresses and files. */
function example(beginning: string, port: number): string {
  const texts = [...GUIDE.matchAll(/```text\n(.*?)```/gs)].map(([, text = ""]) => text);
  const text = texts.find((one) => one.startsWith(beginning));
  assert.ok(text);
  return text
    .replaceAll("127.0.0.1:4180", new URL(berth.url).host)
    .replaceAll(/\/etc\/(caddy|nginx)\/previews\.pem/g, join(directory, "server.pem"))
    .replaceAll(/\/etc\/(caddy|nginx)\/previews\.key/g, join(directory, "server.key"))
    .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
    .replace(/^\*\.previews\.example\.com \{/, `*.previews.example.com:${port} {`);
}

const PROXIES: Readonly<Record<string, (port: number) => ChildProcess>> = {
  nginx: (port) => startNginx(directory, example("server {", port)),
  Caddy: (port) => startCaddy(directory, example("*.previews", port)),
};

for (const [name, start] of Object.entries(PROXIES)) {
  covers(
    ["preview-forward", "preview-entry"],
    `${name} as in the guide: pages, uploads, streams and web sockets of a preview are passed on`,
    async (t) => {
      const { client, session } = await behind(t, start);
      const entry = await client.call("/", { headers: { authorization: undefined } });
      assert.deepEqual([entry.status, entry.headers["x-frame-options"]], [401, "DENY"], entry.text);
      assert.match((await client.call("/")).text, /Hello from the sandbox/);
      const head = (await client.call("/head")).text;
      assert.match(head, /^host: localhost:5173\r$/im);
      assert.equal((await client.call("/count", { method: "POST" }, UPLOAD)).text, `${UPLOAD.length}`);

      await checkEventStream(api, session, client);

      const socket = (await client.socket()) as Socket;
      socket.write("hello");
      assert.equal(String((await once(socket, "data"))[0]), "hello");
      socket.destroy();
    },
  );
}

/** Returns a session, and a client of its preview, behind a proxy that has started. */
async function behind(
  t: TestContext,
  start: (port: number) => ChildProcess,
): Promise<{ client: PreviewClient; session: AnyJson }> {
  const kept = await makeEnvironment(api, { keep_alive_seconds: 600 });
  const session = await makeSession(api, { environment_id: kept.id });
  await startPortServer(api, session, 5173);
  const port = await freePort();
  const proxy = start(port);
  t.after(() => stopProxy(proxy));
  const made = await api.ok("POST", `/sessions/${session.id}/previews`, { port: 5173 });
  const client = new PreviewClient(made, `https://127.0.0.1:${port}`, authority);
  await waitUntil(
    async () => (await client.call("/").catch(() => null))?.status === 200,
    () => `the proxy does not answer, ended with ${proxy.exitCode}`,
  );
  return { client, session };
}
