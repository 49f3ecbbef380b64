import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEgress } from "@berth/egress";
import { createBubblewrapEngine, type Sandbox, type SandboxEngine } from "@berth/sandbox";
import { type Figure, median, percentile, times } from "../figure.ts";
import { benchSpec } from "./sandbox-spec.ts";

const rounds = 15;
const atOnce = 24;
const templateUid = 66_000;
const target = "/data/large";

/**
 * The engine alone with a template of 50,000 files and disks of 10 GiB: opened with it, opened again, and many at once. What a
 * session adds to that, the API, the turn and the look at the repository's host, is among the figures of repositories.
 */
export async function templateFigures(): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), "bench-templates-"));
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
    const bench = { engine, directory, source: makeTemplate(directory) };
    const plain = await times(rounds, async () => execFileSync("/bin/true"));
    const [opened, again] = await openTwice(bench);
    const burst = await burstOf(bench);
    const peer = "`/bin/true` spawned by Node";
    const peerValue = median(plain);
    return [
      {
        what: "open a sandbox, show a template, run a command",
        peer,
        unit: "ms",
        value: median(opened),
        p95: percentile(opened, 0.95),
        peerValue,
        limit: 150,
      },
      {
        what: "open a parked one again and run a command",
        peer,
        unit: "ms",
        value: median(again),
        p95: percentile(again, 0.95),
        peerValue,
        limit: 100,
      },
      {
        what: `${atOnce} sandboxes with it at once, to a command each`,
        peer: "one after another",
        unit: "/s",
        value: (atOnce * 1000) / burst,
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
  /** Of the template. */
  source: string;
}

function makeTemplate(directory: string): string {
  const source = join(directory, "template");
  const files = `cd "$0" && for d in $(seq 500); do mkdir $d && cd $d && for f in $(seq 100); do echo "$d $f" >$f; done && cd ..; done`;
  execFileSync("sh", ["-c", `mkdir "$0" && ${files} && chown -R ${templateUid}:${templateUid} "$0"`, source]);
  return source;
}

function open({ engine, directory, source }: Bench, name: string, parked = false): Promise<Sandbox> {
  const template = { source, uid: templateUid, target };
  return engine.open({
    ...benchSpec(name, join(directory, name)),
    ...(parked ? { templates: [template] } : {}),
  });
}

async function show(bench: Bench, sandbox: Sandbox): Promise<void> {
  const shown = await sandbox.mountTemplate({ source: bench.source, uid: templateUid, target });
  if (!shown) throw new Error("no template can be shown");
  await command(sandbox);
}

async function command(sandbox: Sandbox): Promise<void> {
  const { exitCode } = await sandbox.run({ script: `test -s ${target}/7/7`, timeoutMs: 10_000 });
  if (exitCode !== 0) throw new Error(`the command ended with ${exitCode}`);
}

async function openTwice(bench: Bench): Promise<[opened: number[], again: number[]]> {
  const opened: number[] = [];
  const again: number[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const taken of [opened, again]) {
      const begun = performance.now();
      const sandbox = await open(bench, `s${round}`, taken === again);
      await (taken === again ? command(sandbox) : show(bench, sandbox));
      taken.push(performance.now() - begun);
      await sandbox.close();
    }
  }
  return [opened, again];
}

async function burstOf(bench: Bench): Promise<number> {
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async (_, index) => show(bench, await open(bench, `b${index}`))),
  );
  return performance.now() - begun;
}
