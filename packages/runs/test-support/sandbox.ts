import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createEgress } from "@berth/egress";
import type { Sandbox } from "@berth/sandbox";
import { createBubblewrapEngine } from "@berth/sandbox/bubblewrap";

/** Opens a real sandbox on a new disk, without network. It is removed after the test. */
export async function testSandbox(
  t: TestContext,
  { id, writable = [] }: { id: string; writable?: string[] },
): Promise<Sandbox> {
  const directory = mkdtempSync(join(tmpdir(), "berth-sandbox-"));
  const egress = await createEgress({ poolSize: 0 });
  const engine = await createBubblewrapEngine({
    instance: `test-${process.pid}`,
    stateDir: join(directory, "state"),
    egress,
    certificates: [],
  });
  t.after(async () => {
    await engine.close();
    await egress.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return await engine.open({
    id,
    disk: join(directory, "disk"),
    uid: 72_001,
    limits: { memoryBytes: 512 * 1024 * 1024, pids: 256, cpus: 2, diskBytes: null },
    egress: { mode: "limited", hosts: [] },
    files: [],
    writable,
  });
}
