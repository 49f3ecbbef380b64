import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { untilReady } from "./until-ready.ts";

const PORT = 5432;
const ANSWER_MS = 20_000;

/** A server's response to one connection; each takes 20 seconds of the mocked clock. */
type Answer = "busy" | "ready" | "nothing";

test("a server that recovers for a minute and misses to answer in between → it is waited for", async (t) => {
  assert.equal(await wait(t, ["busy", "busy", "nothing", "busy", "ready"]), true);
});

test("a server that is silent for longer → one sentence with its pid", async (t) => {
  await assert.rejects(
    wait(t, ["busy", "nothing", "nothing", "ready"]),
    /^Error: PostgreSQL \(pid 4711\) does not/,
  );
});

/** Waits for a server that responds in this way. */
async function wait(t: TestContext, answers: readonly Answer[]): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), "until-ready-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const passwordFile = join(dir, "password");
  writeFileSync(passwordFile, "secret");
  t.mock.timers.enable({ apis: ["Date"], now: 0 });
  const left = [...answers];
  const server = createServer((socket) => {
    socket.once("data", () => {
      t.mock.timers.setTime(Date.now() + ANSWER_MS);
      answer(socket, left.shift() ?? "ready");
    });
  }).listen(join(dir, `.s.PGSQL.${PORT}`));
  t.after(() => server.close());
  await once(server, "listening");
  const connection = { host: dir, port: PORT, user: "berth", database: "berth", passwordFile };
  return await untilReady(connection, { pid: 4711, socket: dir, exited: new Promise(() => undefined) });
}

/** Responds in PostgreSQL's protocol: an error with its code, or "authenticated" and "ready for a query". */
function answer(socket: Socket, what: Answer): void {
  const busy = ["SFATAL", "VFATAL", "C57P03", "Mthe database system is starting up", ""].join("\0");
  if (what === "busy") socket.end(message("E", Buffer.from(`${busy}\0`)));
  else if (what === "ready")
    socket.write(Buffer.concat([message("R", Buffer.alloc(4)), message("Z", Buffer.from("I"))]));
  else socket.destroy();
}

function message(type: string, body: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.write(type);
  header.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
}
