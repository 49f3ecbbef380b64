import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Berth } from "../../tests/acceptance/harness/berth.ts";
import { NO_LIMITS } from "../../tests/acceptance/harness/no-limits.ts";
import { providerSettings } from "../../tests/acceptance/harness/provider-settings.ts";
import { waitUntil } from "../../tests/acceptance/harness/wait-until.ts";
import type { GitHost } from "../../tests/git-host/git-host.ts";
import { startGitHostOnDefaultPort } from "../../tests/git-host/github-host.ts";
import { manyFiles, openSandboxes, type Sessions, sessionsOf } from "../bench-repository.ts";
import { type Figure, median } from "../figure.ts";
import { processorTime } from "../processor-time.ts";

const FILES = 5_000;
const ROUNDS = 9;
const WARM_UP = 3;
const KINDS = ["no repository", "repository seen before", "repository never seen before"] as const;
/** A command prefix that removes settings an earlier build may not know. No session here reaches a limit. */
const WITHOUT_LIMITS = ["env", ...Object.keys(NO_LIMITS).flatMap((name) => ["-u", name])];

interface Build {
  sessions: Sessions;
  parked(): Promise<void>;
  /** Returns milliseconds of processor time. */
  used(): number;
  stop(): Promise<void>;
}

/**
 * Measures from the creation of a session to the result of its first command, with this build and another one
 * alternately. Run as root: `BENCH_BUILD=PATH npm run bench -- --only first-command`, where PATH is the other
 * build's `bin/berth`, after its setup.
 */
export async function firstCommandFigures(): Promise<Figure[] | string> {
  const other = process.env.BENCH_BUILD;
  if (other === undefined) return "First command: not measured, since BENCH_BUILD names no other build.";
  const directory = await mkdtemp(join(tmpdir(), "bench-first-"));
  const host = await startGitHostOnDefaultPort({ dir: join(directory, "host") });
  const builds: Build[] = [];
  try {
    await host.createRepository({ org: "bench", name: "large", private: false, files: manyFiles(FILES) });
    builds.push(await start("other", host, other), await start("own", host));
    for (const build of builds) await warmUp(build);
    const figures: Figure[] = [];
    for (const kind of KINDS) figures.push(...(await measure(kind, builds, host, directory)));
    return figures;
  } finally {
    for (const build of builds) await build.stop();
    await host.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function start(name: string, host: GitHost, binary?: string): Promise<Build> {
  const time = processorTime(name);
  const berth = await Berth.start({
    binary,
    wrapper: [...time.wrapper, ...WITHOUT_LIMITS],
    settings: { ...providerSettings(host), BERTH_SANDBOX_IDLE_SECONDS: "2" },
  });
  return {
    sessions: await sessionsOf(await berth.client(), host),
    parked: () =>
      waitUntil(
        () => openSandboxes(berth.pid) === 0,
        () => "A sandbox stayed open.",
      ),
    used: time.used,
    async stop() {
      await berth.stop();
      time.remove();
    },
  };
}

async function warmUp({ sessions, parked }: Build): Promise<void> {
  for (const name of [...Array<null>(WARM_UP).fill(null), "large", "large"]) {
    await sessions.firstCommand(name);
    await parked();
  }
}

async function measure(
  kind: (typeof KINDS)[number],
  builds: readonly Build[],
  host: GitHost,
  directory: string,
): Promise<Figure[]> {
  const taken = builds.map((build) => ({ build, wall: [] as number[], processor: [] as number[] }));
  for (let round = 0; round < ROUNDS; round++) {
    let name = kind === "no repository" ? null : "large";
    if (kind === "repository never seen before") {
      name = `large-${round}`;
      const copyOf = join(directory, "host", "repositories", "bench", "large.git");
      await host.createRepository({ org: "bench", name, private: false, copyOf });
    }
    for (const { build, wall, processor } of round % 2 === 0 ? taken : taken.toReversed()) {
      for (const one of builds) await one.parked();
      const [begun, used] = [performance.now(), build.used()];
      await build.sessions.firstCommand(name);
      wall.push(performance.now() - begun);
      processor.push(build.used() - used);
    }
  }
  const [other, own] = taken;
  if (other === undefined || own === undefined) throw new Error("Both builds are measured.");
  return (["wall", "processor"] as const).map((what) => ({
    what: `create → first command, ${kind}, ${what === "wall" ? "time" : "processor time"}`,
    peer: "the other build",
    unit: "ms",
    value: median(own[what]),
    peerValue: median(other[what]),
    limit: Math.round(0.9 * median(other[what])),
    note: `${ROUNDS} of each, in turns; least ${Math.min(...own[what]).toFixed(1)} and ${Math.min(...other[what]).toFixed(1)} ms`,
  }));
}
