import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";

const program = join(import.meta.dirname, "first-session/up.ts");

test("script/up runs a first session, goes on, lets no second one in, and ends with 0 by Ctrl-C", async (t) => {
  const dir = await temporary(t);
  const first = up(t, ["--port", "0", "--data-dir", dir]);
  const lines: string[] = [];
  for await (const line of createInterface({ input: first.stdout })) {
    lines.push(line);
    if (line.startsWith("Berth goes on")) break;
  }
  const url = /^Berth listens on (\S+); a token of yours is in (\S+)$/.exec(lines[0] ?? "");
  assert.deepEqual([url?.[2], (await stat(join(dir, "token"))).mode & 0o777], [join(dir, "token"), 0o600]);
  assert.match(
    lines.join("\n"),
    /\nThe git server has agent\/hello-\w+: [0-9a-f]{12} docs: an agent says hello/,
  );

  const second = up(t, ["--port", "0", "--data-dir", dir]);
  const [said] = await Promise.all([text(second.stderr), once(second, "exit")]);
  assert.equal(second.exitCode, 1);
  assert.equal(
    said,
    `script/up: Berth runs on ${dir} already, at ${url?.[1]}. Stop it first, or give another --data-dir and --port.\n`,
  );

  first.kill("SIGINT");
  await once(first, "exit");
  assert.equal(first.exitCode, 0);
});

test("script/up says which port is taken", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const refused = up(t, ["--port", String(port), "--data-dir", await temporary(t)]);
  const [said] = await Promise.all([text(refused.stderr), once(refused, "exit")]);
  assert.equal(refused.exitCode, 1);
  assert.match(
    said,
    new RegExp(`^script/up: Another program listens on port ${port} of 127.0.0.1 already\\.`),
  );
});

test("script/up answers wrong flags with its usage", async (t) => {
  const refused = up(t, ["--twice"]);
  const [said] = await Promise.all([text(refused.stderr), once(refused, "exit")]);
  assert.equal(refused.exitCode, 2);
  assert.match(said, /^Unknown option '--twice'[\s\S]*Usage: script\/up/);
});

function up(t: TestContext, args: string[]) {
  const env = { ...process.env, BERTH_ROOTFS: "host" };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  t.after(async () => {
    if (child.exitCode !== null) return;
    child.kill("SIGINT");
    await once(child, "exit");
  });
  return child;
}

async function temporary(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "berth-up-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}
