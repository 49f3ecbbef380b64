import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Command, CommandResult } from "../../src/interface/command.ts";
import type { Sandbox, SandboxEngine } from "../../src/interface/sandbox.ts";
import type { SandboxSpec, SystemLayers } from "../../src/interface/spec.ts";
import { released } from "./loop-devices.ts";

/** An engine for one test file, and settings of its sandboxes. */
export interface Subject {
  engine: SandboxEngine;
  /** Host uid of the sandboxes. */
  uid: number;
  /** System of the sandboxes. Default: the engine's. */
  system?: SystemLayers;
  close(): Promise<void>;
}

/** The objects that a conformance test gets. */
export interface Context {
  subject: Subject;
  /** A host directory for this test alone. */
  directory: string;
  /** Returns a spec with its own id, on the test's disk. */
  spec(overrides?: Partial<SandboxSpec>): SandboxSpec;
  open(overrides?: Partial<SandboxSpec>): Promise<Sandbox>;
}

export interface Suite {
  subject(): Subject;
  /** Reasons to skip, by title; an empty reason overrides `*`. */
  skips: Readonly<Record<string, string>>;
  /** Returns why the test at this position is not in the sample, or false. */
  notInSample: (place: number, title: string) => string | false;
  probesTogether?: boolean;
  /** Number of tests defined so far. */
  defined: number;
}

let count = 0;

/** Defines one test of the suite, with a new directory. Its sandboxes are closed at the end. */
export function conformanceTest(
  suite: Suite,
  title: string,
  body: (context: Context) => Promise<void>,
): void {
  suite.defined += 1;
  test(title, {
    skip: reasonToSkip(suite, title) ?? suite.notInSample(suite.defined, title),
    timeout: 600_000,
  }, async () => {
    const directory = await mkdtemp(join(tmpdir(), "berth-conformance-"));
    const opened: Sandbox[] = [];
    const subject = suite.subject();
    const disks = new Set<string>();
    const spec: Context["spec"] = (overrides = {}) => ({
      id: `s${process.pid}_${++count}`,
      disk: join(directory, "disk"),
      uid: subject.uid,
      limits: { memoryBytes: 512 * 1024 * 1024, pids: 256, cpus: 2, diskBytes: null },
      egress: { mode: "limited", hosts: [] },
      files: [],
      writable: [],
      ...(subject.system ? { system: subject.system } : {}),
      ...overrides,
    });
    const open: Context["open"] = async (overrides) => {
      const opening = spec(overrides);
      disks.add(opening.disk);
      const sandbox = await subject.engine.open(opening);
      opened.push(sandbox);
      return sandbox;
    };
    try {
      await body({ subject, directory, spec, open });
    } finally {
      await Promise.all(opened.map((sandbox) => sandbox.close()));
      for (const disk of disks) await (await subject.engine.disks?.takeAway(disk))?.();
      await released(directory);
      await rm(directory, { recursive: true, force: true });
    }
  });
}

function reasonToSkip({ skips }: Suite, title: string): string | undefined {
  return skips[title] === "" ? undefined : (skips[title] ?? skips["*"]);
}

export interface Ran extends CommandResult {
  text: string;
}

/** Runs a script with a timeout of a minute and returns its output as text. */
export async function sh(sandbox: Sandbox, script: string, options: Partial<Command> = {}): Promise<Ran> {
  const result = await sandbox.run({ script, timeoutMs: 60_000, ...options });
  return { ...result, text: Buffer.from(result.output).toString() };
}

/** Runs a script and requires that it succeeds. Returns its output without the last newline. */
export async function ok(sandbox: Sandbox, script: string, options: Partial<Command> = {}): Promise<string> {
  const result = await sh(sandbox, script, options);
  assert.deepEqual([result.ended, result.exitCode], ["exit", 0], `${script}\n${result.text}`);
  return result.text.replace(/\n$/, "");
}
