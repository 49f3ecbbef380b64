import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createBubblewrapEngine, createEgress, type Sandbox } from "@berth/sandbox";
import { type Figure, median, percentile, times } from "../figure.ts";
import { benchSpec } from "./sandbox-spec.ts";

const rounds = 200;

/** A command in an open sandbox, and opening one, beside spawning the same program plainly from Node. */
export async function sandboxFigures(): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), "bench-sandbox-"));
  const egress = await createEgress({ allowPrivate: [] });
  const engine = await createBubblewrapEngine({
    instance: "bench",
    stateDir: join(directory, "state"),
    egress,
    certificates: [],
  });
  const open = (name: string) => engine.open(benchSpec(name, join(directory, name)));
  try {
    const opens: number[] = [];
    for (let round = 0; round < 10; round++) {
      const begun = performance.now();
      const sandbox = await open(`s${round}`);
      await command(sandbox, undefined);
      opens.push(performance.now() - begun);
      await sandbox.close();
    }
    const sandbox = await open("open");
    await times(20, () => command(sandbox, "main"));
    const inside = await times(rounds, () => command(sandbox, "main"));
    const plain = await times(rounds, () => promisify(execFile)("/bin/true"));
    const spawned = median(plain);
    const peer = "`/bin/true` spawned by Node";
    return [
      {
        what: "command in an open sandbox",
        peer,
        unit: "ms",
        value: median(inside),
        p95: percentile(inside, 0.95),
        peerValue: spawned,
      },
      {
        what: "open a sandbox and run a command",
        peer,
        unit: "ms",
        value: median(opens),
        peerValue: spawned,
      },
    ];
  } finally {
    await engine.close();
    await egress.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function command(sandbox: Sandbox, shell: string | undefined): Promise<void> {
  const result = await sandbox.run({
    script: "/bin/true",
    timeoutMs: 10_000,
    ...(shell === undefined ? {} : { shell }),
  });
  if (result.exitCode !== 0) throw new Error(`the command ended with ${result.exitCode}`);
}
