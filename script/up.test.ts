import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";

const PROGRAM = join(import.meta.dirname, "first-session/main.ts");

test("script/up: runs a first session and stays up; a second one is rejected; Ctrl-C ends it with 0", async (t) => {
  const dir = await temporary(t);
  const first = up(["--port", "0", "--data-dir", dir]);
  const lines: string[] = [];
  for await (const line of createInterface({ input: first.stdout })) {
    lines.push(line);
    if (line.startsWith("There, 'berth console'")) break;
  }
  const url = /^Berth listens on (\S+); your access token is in (\S+)$/.exec(lines[0] ?? "");
  assert.deepEqual([url?.[2], (await stat(join(dir, "token"))).mode & 0o777], [join(dir, "token"), 0o600]);
  assert.match(
    lines.join("\n"),
    /\nThe git server has agent\/hello-\w+: [0-9a-f]{12} docs: an agent says hello/,
  );
  assert.match(lines.at(-1) ?? "", /: http:\/\/127\.0\.0\.1:\d+\/console\/sign-in#code=[\w-]{43}$/);

  const second = up(["--port", "0", "--data-dir", dir]);
  const [stderr] = await Promise.all([text(second.stderr), once(second, "exit")]);
  assert.equal(second.exitCode, 1);
  assert.equal(
    stderr,
    `berth up: Berth already runs on ${dir}, at ${url?.[1]}. Stop it first, or choose another --data-dir and --port.\n`,
  );

  first.kill("SIGINT");
  await once(first, "exit");
  assert.equal(first.exitCode, 0);
});

test("script/up: the port is in use → names the port", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const rejected = up(["--port", String(port), "--data-dir", await temporary(t)]);
  const [stderr] = await Promise.all([text(rejected.stderr), once(rejected, "exit")]);
  assert.equal(rejected.exitCode, 1);
  assert.match(
    stderr,
    new RegExp(`^berth up: Another program already listens on port ${port} of 127.0.0.1\\.`),
  );
});

test("script/up --help: the usage, from a checkout in which nothing is installed", async (t) => {
  const checkout = await temporary(t);
  await cp(join(import.meta.dirname, "up"), join(checkout, "script/up"));
  await cp(
    join(import.meta.dirname, "first-session/usage.txt"),
    join(checkout, "script/first-session/usage.txt"),
  );
  for (const flag of ["--help", "-h"]) {
    const asked = spawn(join(checkout, "script/up"), [flag]);
    const [usage] = await Promise.all([text(asked.stdout), once(asked, "exit")]);
    assert.equal(asked.exitCode, 0);
    assert.match(usage, /^Usage: berth up .*\(in a clone: script\/up /);
  }
  assert.deepEqual(await readdir(checkout), ["script"]);
});

test("script/up: unknown flag → usage and exit code 2", async () => {
  const rejected = up(["--twice"]);
  const [stderr] = await Promise.all([text(rejected.stderr), once(rejected, "exit")]);
  assert.equal(rejected.exitCode, 2);
  assert.match(stderr, /^Unknown option '--twice'[\s\S]*Usage: berth up/);
});

const RUNNING = new Set<ChildProcess>();

function up(args: string[]) {
  const env = { ...process.env, BERTH_ROOTFS: "host" };
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  RUNNING.add(child);
  child.once("exit", () => RUNNING.delete(child));
  return child;
}

/** Makes a directory. At the end of the test the programs that use it are ended before it is removed. */
async function temporary(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "berth-up-"));
  t.after(async () => {
    await Promise.all([...RUNNING].map((child) => child.kill("SIGINT") && once(child, "exit")));
    await rm(dir, { recursive: true, force: true });
  });
  return dir;
}
