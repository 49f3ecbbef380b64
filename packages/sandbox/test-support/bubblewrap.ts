import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBubblewrapEngine } from "../src/bubblewrap/bubblewrap-engine.ts";
import type { Sandbox, SandboxEngine } from "../src/interface/sandbox.ts";
import { released } from "./conformance/loop-devices.ts";
import { createFakeEgress } from "./fake-egress.ts";

/** An engine without a network, in its own directory, for one test. */
export interface FreshEngine {
  directory: string;
  engine: SandboxEngine;
  /** Closes the engine, and removes the directory once no loop device uses a file in it. */
  close(): Promise<void>;
}

export async function freshEngine(instance: string): Promise<FreshEngine> {
  const directory = mkdtempSync(join(tmpdir(), `berth-${instance}-`));
  const engine = await createBubblewrapEngine({
    instance,
    stateDir: `${directory}/state`,
    egress: createFakeEgress(),
    certificates: [],
  });
  return {
    directory,
    engine,
    async close() {
      await engine.close();
      await released(directory);
      rmSync(directory, { recursive: true });
    },
  };
}

/** Opens a sandbox without a network, on its own disk. */
export async function openIn({ directory, engine }: FreshEngine, id: string): Promise<Sandbox> {
  return await engine.open({
    id,
    disk: `${directory}/${id}`,
    uid: process.getuid?.() === 0 ? 71_000 : (process.getuid?.() ?? 0),
    limits: { memoryBytes: 512 * 1024 ** 2, pids: 128, cpus: 1, diskBytes: null },
    egress: { mode: "limited", hosts: [] },
    files: [],
    writable: [],
  });
}
