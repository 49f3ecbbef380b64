import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createEgress } from "@berth/egress";
import type { Sandbox, SandboxEngine } from "@berth/sandbox";
import { createBubblewrapEngine } from "@berth/sandbox/bubblewrap";
import { createDockerEngine } from "@berth/sandbox/docker";
import { startTestEngine, TEST_IMAGE } from "../../tests/container-engine/container-engine.ts";
import { type Figure, median, percentile, times } from "../figure.ts";
import { benchSpec } from "./sandbox-spec.ts";

const COMMANDS = 200;
const OPENS = 10;
/** Milliseconds by which a command in an open sandbox may exceed a plain process. */
const MAX_OVERHEAD_MS = 3;

/** Durations in milliseconds. */
interface Durations {
  opens: number[];
  commands: number[];
}

/**
 * Measures opening a sandbox, and a command in an open one: bubblewrap against a plain process, containers
 * against bubblewrap.
 */
export async function sandboxFigures(): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), "bench-sandbox-"));
  const egress = await createEgress({ allowPrivate: [] });
  const daemon = await startTestEngine("dockerd");
  const common = { instance: "bench", egress, certificates: [] };
  const container = { socket: daemon.socket, defaultImage: TEST_IMAGE };
  try {
    const stateOf = (name: string) => ({ ...common, stateDir: join(directory, name) });
    const bubblewrap = await measure(await createBubblewrapEngine(stateOf("bubblewrap")), directory);
    const plain = median(await times(COMMANDS, () => promisify(execFile)("/bin/true")));
    const docker = await measure(await createDockerEngine({ ...stateOf("docker"), ...container }), directory);
    return figures(bubblewrap, plain, docker);
  } finally {
    await egress.close();
    await daemon.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function measure(engine: SandboxEngine, directory: string): Promise<Durations> {
  try {
    const open = (name: string) => engine.open(benchSpec(name, join(directory, `${engine.name}-${name}`)));
    const opens: number[] = [];
    for (let round = 0; round < OPENS; round++) {
      const begun = performance.now();
      const sandbox = await open(`s${round}`);
      await command(sandbox, undefined);
      opens.push(performance.now() - begun);
      await sandbox.close();
    }
    const sandbox = await open("open");
    await times(20, () => command(sandbox, "main"));
    return { opens, commands: await times(COMMANDS, () => command(sandbox, "main")) };
  } finally {
    await engine.close();
  }
}

function figures(bubblewrap: Durations, plain: number, docker: Durations): Figure[] {
  const row = (what: string, values: number[], peer: string, peerValue: number) => {
    const [value, p95] = [median(values), percentile(values, 0.95)];
    return { what, peer, unit: "ms" as const, value, p95, peerValue };
  };
  const process = "`/bin/true` spawned by Node";
  const sandbox = "the same in bubblewrap";
  return [
    {
      ...row("command in an open sandbox", bubblewrap.commands, process, plain),
      limit: Math.round((plain + MAX_OVERHEAD_MS) * 100) / 100,
    },
    row("open a sandbox and run a command", bubblewrap.opens, process, plain),
    row("command in an open container of dockerd", docker.commands, sandbox, median(bubblewrap.commands)),
    row("open a container and run a command", docker.opens, sandbox, median(bubblewrap.opens)),
  ];
}

async function command(sandbox: Sandbox, shell: string | undefined): Promise<void> {
  const result = await sandbox.run({
    script: "/bin/true",
    timeoutMs: 10_000,
    ...(shell === undefined ? {} : { shell }),
  });
  if (result.exitCode !== 0) throw new Error(`The command exited with ${result.exitCode}.`);
}
