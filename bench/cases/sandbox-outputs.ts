import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEgress } from "@berth/egress";
import type { Sandbox, SandboxEngine } from "@berth/sandbox";
import { createBubblewrapEngine } from "@berth/sandbox/bubblewrap";
import { createDockerEngine } from "@berth/sandbox/docker";
import type { AnyJson, Api } from "../../tests/acceptance/harness/api.ts";
import { Berth } from "../../tests/acceptance/harness/berth.ts";
import { bash, makeSession, runTurn } from "../../tests/acceptance/harness/fixtures.ts";
import { startTestEngine, TEST_IMAGE } from "../../tests/container-engine/container-engine.ts";
import { type Figure, median, percentile } from "../figure.ts";
import { benchSpec } from "./sandbox-spec.ts";

const ROUNDS = 5;
/** The number of a turn's outputs, and the bytes of each. */
const SHAPES = [
  { count: 1, bytes: 4_096_000 },
  { count: 1_000, bytes: 4_096 },
] as const;

type Shape = (typeof SHAPES)[number];

/** Returns a command that makes new files in the current directory. */
const files = ({ count, bytes }: Shape) =>
  `for n in $(seq ${count}); do head -c ${bytes} /dev/urandom >$n; done`;

/**
 * Measures how long outputs delay the end of a turn: from the result of its only command to its end. The peer
 * is `tar` of as many files out of a sandbox of the same engine, into a file that is synced.
 */
export async function outputFigures(): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), "bench-outputs-"));
  const egress = await createEgress({ allowPrivate: [] });
  const daemon = await startTestEngine("dockerd");
  const common = { instance: "bench", egress, certificates: [] };
  const stateDir = (name: string) => join(directory, name);
  const container = { socket: daemon.socket, defaultImage: TEST_IMAGE };
  const settings = {
    BERTH_SANDBOX: "docker",
    BERTH_DOCKER_SOCKET: daemon.socket,
    BERTH_DOCKER_IMAGE: TEST_IMAGE,
  };
  try {
    const bubblewrap = await createBubblewrapEngine({ ...common, stateDir: stateDir("bubblewrap") });
    const docker = await createDockerEngine({ ...common, ...container, stateDir: stateDir("docker") });
    return [
      ...(await compare("bubblewrap", bubblewrap, {}, directory)),
      ...(await compare("dockerd", docker, settings, directory)),
    ];
  } finally {
    await egress.close();
    await daemon.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Measures turns and peers alternately. */
async function compare(
  name: string,
  engine: SandboxEngine,
  settings: Record<string, string>,
  directory: string,
): Promise<Figure[]> {
  const berth = await Berth.start({ settings });
  try {
    const api = await berth.client();
    const session = await makeSession(api);
    const sandbox = await engine.open(benchSpec("outputs", join(directory, `disk-${name}`)));
    const figures: Figure[] = [];
    for (const shape of SHAPES) {
      const [turns, peers]: [number[], number[]] = [[], []];
      for (let round = 0; round < ROUNDS; round++) {
        turns.push(await turn(api, session.id, shape));
        peers.push(await plainTar(sandbox, shape, join(directory, "archive.tar")));
      }
      figures.push({
        what: `${name}: ${shape.count} ${shape.count === 1 ? "output" : "outputs"} of ${shape.bytes} bytes, until the turn ends`,
        peer: "`tar` of the same out of a sandbox",
        unit: "ms",
        value: median(turns),
        p95: percentile(turns, 0.95),
        peerValue: median(peers),
      });
    }
    return figures;
  } finally {
    await engine.close();
    await berth.stop();
  }
}

async function turn(api: Api, session: string, shape: Shape): Promise<number> {
  const events = await runTurn(api, session, bash(`cd /mnt/session/outputs && rm -f * && ${files(shape)}`));
  const at = (wanted: string) =>
    Date.parse(events.find(({ type }: AnyJson) => type === wanted)?.created_at ?? "");
  return at("session.status_idle") - at("agent.tool_result");
}

async function plainTar(sandbox: Sandbox, shape: Shape, path: string): Promise<number> {
  await run(sandbox, `rm -rf made && mkdir made && cd made && ${files(shape)}`);
  const begun = performance.now();
  const file = await open(path, "w");
  await run(sandbox, "exec tar -cf - made", async (chunk) => void (await file.writeFile(chunk)));
  await file.sync();
  await file.close();
  return performance.now() - begun;
}

async function run(
  sandbox: Sandbox,
  script: string,
  onOutput?: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
  const given = { script, timeoutMs: 60_000, maxOutputBytes: 0, ...(onOutput && { onOutput }) };
  const { exitCode } = await sandbox.run(given);
  if (exitCode !== 0) throw new Error(`${script} exited with ${exitCode}.`);
}
