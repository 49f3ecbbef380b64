import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { manyFiles, type RepositoryBench, startRepositoryBench } from "../bench-repository.ts";
import { type Figure, median, times } from "../figure.ts";

const MIB = 1_048_576;
const WARM_ROUNDS = 3;

/**
 * Measures a repository of very many files, and one of very many incompressible bytes. The peer is `git
 * clone` from the same server.
 */
export async function largeRepositoryFigures(): Promise<Figure[]> {
  return [
    ...(await figuresOf("500,000 files", () => manyFiles(500_000, 4))),
    ...(await figuresOf("1 GiB", () => largeFiles(256, 4 * MIB))),
  ];
}

async function figuresOf(name: string, files: () => Record<string, string>): Promise<Figure[]> {
  const bench = await startRepositoryBench(files(), { BERTH_SANDBOX_IDLE_SECONDS: "2" });
  try {
    const [cloned = 0] = await times(1, () => bench.plainClone("large"));
    const began = performance.now();
    const [first = 0] = await times(1, () => bench.firstCommand("large"));
    await bench.snapshots(1);
    const prepared = performance.now() - began;
    await bench.parked();
    const sessions: string[] = [];
    const next: number[] = [];
    for (let round = 0; round < WARM_ROUNDS; round++) {
      next.push(...(await times(1, async () => sessions.push(await bench.firstCommand("large")))));
      await bench.parked();
    }
    const disk = median(sessions.map((id) => mebibytes(bench, "sessions", id)));
    const peer = `\`git clone\` of ${name}`;
    const figure = (what: string, value: number, note = ""): Figure => ({
      what: `${name}: ${what}`,
      peer,
      unit: "ms",
      value,
      peerValue: cloned,
      note,
    });
    return [
      figure("create → first command, never seen before", first),
      figure("the same, until its snapshot is there for the next", prepared),
      figure(
        "create → first command, warm snapshot",
        median(next),
        `${disk.toFixed(1)} MiB of disk for the session, ${mebibytes(bench, "repositories").toFixed(0)} MiB for mirror and snapshot`,
      ),
    ];
  } finally {
    await bench.stop();
  }
}

function largeFiles(count: number, bytes: number): Record<string, string> {
  const text = () => randomBytes((bytes * 3) / 4).toString("base64");
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`data/${index}.bin`, text()]));
}

function mebibytes({ berth }: RepositoryBench, ...path: string[]): number {
  const text = execFileSync("du", ["-s", "--block-size=1", join(berth.dataDir, ...path)], {
    encoding: "utf8",
  });
  return Number.parseInt(text, 10) / MIB;
}
