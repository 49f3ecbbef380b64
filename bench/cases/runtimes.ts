import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Berth } from "../../tests/acceptance/harness/berth.ts";
import { NO_LIMITS } from "../../tests/acceptance/harness/no-limits.ts";
import { sharedSystem } from "../../tests/acceptance/harness/root-filesystem.ts";
import { startNpmMirror } from "../../tests/npm-registry/npm-mirror.ts";
import { sessionsOf } from "../bench-repository.ts";
import { type Figure, median, percentile, timesInTurns } from "../figure.ts";

const ROUNDS = 40;
const RUNTIMES = { node: "22", bun: "1", pnpm: "10" };
/** The share by which a session with runtimes may take longer to its first command. */
const MAX_RATIO = 1.2;

/**
 * Measures from the creation of a session to the result of its first command, with three runtimes that were used
 * before, against sessions without any, in turns.
 */
export async function runtimeFigures(): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), "bench-runtimes-"));
  const npm = await startNpmMirror(directory);
  const berth = await Berth.start({
    settings: {
      ...NO_LIMITS,
      ...sharedSystem().settings,
      BERTH_GIT_CA_FILES: JSON.stringify([{ host: npm.host, ca_file: npm.caFile }]),
      BERTH_EGRESS_ALLOW_PRIVATE: npm.host,
      BERTH_NPM_REGISTRY: npm.url,
    },
  });
  try {
    const api = await berth.client();
    const fields = { config: { type: "cloud", runtimes: RUNTIMES } };
    const kinds = [await sessionsOf(api, npm, fields), await sessionsOf(api, npm)] as const;
    for (const kind of kinds) for (let round = 0; round < 3; round++) await kind.firstCommand(null);
    const [chosen, plain] = await timesInTurns(
      ROUNDS,
      () => kinds[0].firstCommand(null),
      () => kinds[1].firstCommand(null),
    );
    const [value, peerValue] = [median(chosen), median(plain)];
    const what = `create → first command, with ${Object.keys(RUNTIMES).join(", ")}`;
    const limit = Math.round(peerValue * MAX_RATIO);
    return [
      {
        ...{ what, peer: "the same without runtimes", unit: "ms", value, peerValue, limit },
        p95: percentile(chosen, 0.95),
      },
    ];
  } finally {
    await berth.stop();
    await npm.stop();
    await rm(directory, { recursive: true, force: true });
  }
}
