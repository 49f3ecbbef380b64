import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EgressDenied, EgressPolicy, Resolve } from "@berth/egress";
import { allowedFetch, allowsUrl, createEgress, createGuardedFetch } from "@berth/egress";
import { createTunnelledEgress } from "@berth/egress/tunnelled";
import { createBubblewrapEngine } from "../../src/bubblewrap/bubblewrap-engine.ts";

/** Sandboxes and a fetch under one policy, with their denials. */
export interface Range {
  /** Runs a script in its own sandbox. */
  run(script: string): Promise<{ lines: string[]; denied: EgressDenied[] }>;
  fetch(url: string): Promise<{ error: unknown; denied: EgressDenied[] }>;
  /** Names that were resolved. */
  resolved: string[];
  close(): Promise<void>;
}

/**
 * The place where connections are captured: a network namespace of this machine, or that of a pod, from which
 * a tunnel leads to the relay.
 */
export type CaptureKind = "namespace" | "tunnel";

const EGRESS = { namespace: createEgress, tunnel: createTunnelledEgress };

/** The kinds that can be tested on this machine. */
export const CAPTURE_KINDS: readonly CaptureKind[] =
  process.getuid?.() === 0 ? ["namespace", "tunnel"] : ["namespace"];

export interface RangeOptions {
  /** Default: `namespace`. */
  capture?: CaptureKind;
  hosts: readonly string[];
  allowPrivate: readonly string[];
  resolve: Resolve;
  /** CA certificates in PEM that the sandboxes trust. Default: none. */
  certificates?: string[];
}

export async function openHostileRange(options: RangeOptions): Promise<Range> {
  const { capture = "namespace", hosts, allowPrivate, resolve, certificates = [] } = options;
  const policy: EgressPolicy = { mode: "limited", hosts };
  const resolved: string[] = [];
  const watched: Resolve = (name) => {
    resolved.push(name);
    return resolve(name);
  };
  const directory = await mkdtemp(join(tmpdir(), "berth-hostile-"));
  const egress = await EGRESS[capture]({ allowPrivate, resolve: watched, poolSize: 0 });
  const engine = await createBubblewrapEngine({
    instance: `test-${process.pid}`,
    stateDir: join(directory, "state"),
    egress,
    certificates,
  });
  let count = 0;

  async function run(script: string): ReturnType<Range["run"]> {
    const denied: EgressDenied[] = [];
    count += 1;
    const sandbox = await engine.open({
      id: `hostile_${count}`,
      disk: join(directory, `disk-${count}`),
      uid: process.getuid?.() === 0 ? 71_000 : (process.getuid?.() ?? 0),
      limits: { memoryBytes: 512 * 1024 * 1024, pids: 256, cpus: 2, diskBytes: null },
      egress: policy,
      files: [],
      writable: [],
      onEgressDenied: (one) => denied.push(one),
    });
    const { output, ended } = await sandbox.run({ script, timeoutMs: 150_000 });
    await sandbox.close();
    assert.equal(ended, "exit");
    return { lines: Buffer.from(output).toString().trim().split("\n"), denied };
  }

  return {
    run,
    resolved,
    async fetch(url) {
      const denied: EgressDenied[] = [];
      const guarded = createGuardedFetch({ allowPrivate, resolve: watched });
      const held = allowedFetch(guarded, {
        allows: (one) => allowsUrl(policy, one),
        onDenied: (one) => denied.push(one),
        deniedMessage: "not allowed",
      });
      const error = await held(url).then(
        () => null,
        (reason: unknown) => reason,
      );
      return { error, denied };
    },
    async close() {
      await engine.close();
      await egress.close();
      await rm(directory, { recursive: true });
    },
  };
}
