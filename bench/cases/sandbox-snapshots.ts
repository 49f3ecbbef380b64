import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEgress } from "@berth/egress";
import type { Sandbox, SandboxEngine } from "@berth/sandbox";
import { createBubblewrapEngine } from "@berth/sandbox/bubblewrap";
import { type Figure, median, percentile, times } from "../figure.ts";
import { benchSpec } from "./sandbox-spec.ts";

const ROUNDS = 15;
const CONCURRENT = 24;
const SNAPSHOT_UID = 66_000;
const TARGET = "/data/large";

/**
 * Measures the engine alone, with a repository snapshot of 50,000 files and disks of 10 GiB. It opens a
 * sandbox with the snapshot, reopens it, and opens many at once. The repository figures also include a
 * session's part: the API, the turn, and the request for refs.
 */
export async function snapshotFigures(): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), "bench-snapshots-"));
  const egress = await createEgress({ allowPrivate: [] });
  const stateDir = join(directory, "state");
  const defaultDiskBytes = 10 * 2 ** 30;
  const engine = await createBubblewrapEngine({
    instance: "bench",
    stateDir,
    egress,
    certificates: [],
    defaultDiskBytes,
  });
  try {
    const bench = { engine, directory, source: makeSnapshot(directory) };
    const plain = await times(ROUNDS, async () => execFileSync("/bin/true"));
    const [opened, reopened] = await openTwice(bench);
    const burst = await openConcurrently(bench);
    const peer = "`/bin/true` spawned by Node";
    const peerValue = median(plain);
    return [
      {
        what: "open a sandbox, mount a snapshot, run a command",
        peer,
        unit: "ms",
        value: median(opened),
        p95: percentile(opened, 0.95),
        peerValue,
        limit: 150,
      },
      {
        what: "reopen a parked one and run a command",
        peer,
        unit: "ms",
        value: median(reopened),
        p95: percentile(reopened, 0.95),
        peerValue,
        limit: 100,
      },
      {
        what: `${CONCURRENT} sandboxes with a snapshot at once, one command each`,
        peer: "one after another",
        unit: "/s",
        value: (CONCURRENT * 1000) / burst,
        peerValue: 1000 / median(opened),
        limit: 25,
      },
    ];
  } finally {
    await engine.close();
    await egress.close();
    await rm(directory, { recursive: true, force: true });
  }
}

interface Bench {
  engine: SandboxEngine;
  directory: string;
  /** The directory of the snapshot. */
  source: string;
}

function makeSnapshot(directory: string): string {
  const source = join(directory, "snapshot");
  const files = `cd "$0" && for d in $(seq 500); do mkdir $d && cd $d && for f in $(seq 100); do echo "$d $f" >$f; done && cd ..; done`;
  execFileSync("sh", [
    "-c",
    `mkdir "$0" && ${files} && chown -R ${SNAPSHOT_UID}:${SNAPSHOT_UID} "$0"`,
    source,
  ]);
  return source;
}

function open({ engine, directory, source }: Bench, name: string, parked = false): Promise<Sandbox> {
  const snapshot = { source, uid: SNAPSHOT_UID, target: TARGET };
  return engine.open({
    ...benchSpec(name, join(directory, name)),
    ...(parked ? { snapshots: [snapshot] } : {}),
  });
}

async function mount(bench: Bench, sandbox: Sandbox): Promise<void> {
  const mounted = await sandbox.mountSnapshot({ source: bench.source, uid: SNAPSHOT_UID, target: TARGET });
  if (!mounted) throw new Error("The snapshot cannot be mounted.");
  await command(sandbox);
}

async function command(sandbox: Sandbox): Promise<void> {
  const { exitCode } = await sandbox.run({ script: `test -s ${TARGET}/7/7`, timeoutMs: 10_000 });
  if (exitCode !== 0) throw new Error(`The command exited with ${exitCode}.`);
}

async function openTwice(bench: Bench): Promise<[opened: number[], reopened: number[]]> {
  const opened: number[] = [];
  const reopened: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const durations of [opened, reopened]) {
      const begun = performance.now();
      const sandbox = await open(bench, `s${round}`, durations === reopened);
      await (durations === reopened ? command(sandbox) : mount(bench, sandbox));
      durations.push(performance.now() - begun);
      await sandbox.close();
    }
  }
  return [opened, reopened];
}

async function openConcurrently(bench: Bench): Promise<number> {
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: CONCURRENT }, async (_, index) => mount(bench, await open(bench, `b${index}`))),
  );
  return performance.now() - begun;
}
