// Subject: open descriptors of the server after commands (commands/command-run.ts).
import assert from "node:assert/strict";
import { mkdtemp, readdir, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createFakeEgress } from "../../test-support/fake-egress.ts";
import { createBubblewrapEngine } from "./bubblewrap-engine.ts";

const limits = { memoryBytes: 2 ** 28, pids: 64, cpus: 1, diskBytes: null };

test("commands that end before their shell runs leave no open descriptor", async () => {
  const directory = await mkdtemp(join(tmpdir(), "berth-descriptors-"));
  const options = { instance: `test-${process.pid}`, stateDir: join(directory, "state"), certificates: [] };
  const engine = await createBubblewrapEngine({ ...options, egress: createFakeEgress() });
  const egress = { mode: "limited", hosts: [] } as const;
  const spec = {
    id: "cut",
    disk: join(directory, "disk"),
    uid: 71_000,
    limits,
    egress,
    files: [],
    writable: [],
  };
  const sandbox = await engine.open(spec);
  for (const shell of [undefined, "main"]) {
    for (let wait = 0; wait < 20; wait++) {
      const cut = new AbortController();
      const command = {
        script: "echo x",
        timeoutMs: 60_000,
        signal: cut.signal,
        ...(shell ? { shell } : {}),
      };
      const running = sandbox.run(command);
      for (let turns = 0; turns < wait; turns++) await new Promise(setImmediate);
      cut.abort();
      await running;
    }
  }
  await sandbox.close();
  await engine.close();
  await new Promise(setImmediate);
  assert.deepEqual(await openBelow(directory), []);
  await rm(directory, { recursive: true, force: true });
});

async function openBelow(directory: string): Promise<string[]> {
  const links = await Promise.all(
    (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")),
  );
  return links.filter((link) => link.startsWith(directory));
}
