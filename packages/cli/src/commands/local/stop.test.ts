// Subject: commands on an installation that are asked to end leave no process, and can be run again.
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { assertNothingLeft } from "../../../test-support/assert-nothing-left.ts";
import { berth, startBerth } from "../../../test-support/berth.ts";

/** Files that a command creates in turn, and removes, in a new data directory. */
const FILES = ["postgres/cluster.partial-*/base/1/*", "postgres/password", "postgres/cluster/postmaster.pid"];
const COMMANDS = {
  bootstrap: ["bootstrap", "--user", "ann@example.com"],
  "secrets rewrap": ["secrets", "rewrap"],
  doctor: ["doctor"],
};

for (const [name, args] of Object.entries(COMMANDS)) {
  test(`${name}: SIGTERM or SIGINT while it starts the database → it ends by that signal, nothing is left, and it works again`, async (t) => {
    const dataDir = directory(t);
    for (const [nth, file] of FILES.entries()) {
      const signal = nth % 2 === 0 ? "SIGTERM" : "SIGINT";
      const { child, ended } = startBerth([...args, "--data-dir", dataDir]);
      await made(child, dataDir, file);
      child.kill(signal);
      await ended;
      assert.equal(child.signalCode, signal, file);
      await assertNothingLeft(dataDir);
    }
    const { code, stderr } = await berth(["bootstrap", "--user", "a@b.c", "--data-dir", dataDir]);
    assert.equal(code, 0, stderr);
    await assertNothingLeft(dataDir);
  });
}

test("secrets rewrap: killed once the new key is there → the service starts, and the next rewrap ends it", async (t) => {
  const dataDir = directory(t);
  const env = { BERTH_DATA_DIR: dataDir, BERTH_PORT: "0" };
  await serveOnce(env);
  const keyFile = join(dataDir, "secret.key");
  const key = readFileSync(keyFile, "utf8");
  const { child, ended } = startBerth(["secrets", "rewrap"], { env });
  await made(child, dataDir, "secret.key.former");
  child.kill("SIGKILL");
  await ended;
  assert.equal(child.signalCode, "SIGKILL", "the former key was seen");
  await serveOnce(env);
  const { code, stderr } = await berth(["secrets", "rewrap"], { env });
  assert.equal(code, 0, stderr);
  assert.ok(!existsSync(`${keyFile}.former`));
  assert.notEqual(readFileSync(keyFile, "utf8"), key);
  await serveOnce(env);
  await assertNothingLeft(dataDir);
});

async function serveOnce(env: Record<string, string>): Promise<void> {
  const { child, ended } = startBerth(["serve"], { env });
  await Promise.race([once(child.stdout, "data"), ended]);
  child.kill("SIGTERM");
  const { code, stderr } = await ended;
  assert.equal(code, 0, stderr);
}

/** Resolves when the command has created the file, or has ended. */
async function made(child: ChildProcess, dataDir: string, file: string): Promise<void> {
  while (child.exitCode === null && globSync(join(dataDir, file)).length === 0) await setImmediate();
}

function directory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "berth-stop-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
