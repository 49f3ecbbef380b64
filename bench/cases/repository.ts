import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Api } from "../../tests/acceptance/harness/api.ts";
import { Berth } from "../../tests/acceptance/harness/berth.ts";
import { bash, makeAgent, makeEnvironment, steps } from "../../tests/acceptance/harness/fixtures.ts";
import { eventsUntil } from "../../tests/acceptance/harness/stream.ts";
import { type GitHost, startGitHost } from "../../tests/git-host/git-host.ts";
import { type Figure, median, times } from "../figure.ts";

const fileCount = 5000;
const rounds = 5;

/** From creating a session to the result of its first command in a clone of 5,000 files; beside `git clone` from the same server. */
export async function repositoryFigures(): Promise<Figure[]> {
  const dir = await mkdtemp(join(tmpdir(), "bench-git-"));
  const host = await startGitHost({ dir: join(dir, "host") });
  await host.createRepository({ org: "bench", name: "large", private: false, files: manyFiles() });
  const provider = { host: host.host, token_env: ["GH_TOKEN"], ca_file: host.caFile };
  const berth = await Berth.start({
    settings: { BERTH_HOSTED_PROVIDERS: JSON.stringify([provider]), BERTH_EGRESS_ALLOW_PRIVATE: host.host },
  });
  try {
    const api = await berth.client();
    const clones: number[] = [];
    const sessions: number[] = [];
    await plainClone(host, join(dir, "warm-up"));
    for (let round = 0; round < rounds; round++) {
      clones.push(...(await times(1, () => plainClone(host, join(dir, `clone-${round}`)))));
      sessions.push(...(await times(1, () => firstCommand(api, host))));
    }
    const what = `create → first command done, ${fileCount} files`;
    return [
      {
        what,
        peer: "`git clone` of the same",
        unit: "ms",
        value: median(sessions),
        peerValue: median(clones),
        note: `${rounds} of each, in turns`,
      },
    ];
  } finally {
    await berth.stop();
    await host.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

async function plainClone(host: GitHost, to: string): Promise<void> {
  const env = { ...process.env, GIT_SSL_CAINFO: host.caFile };
  await promisify(execFile)("git", ["clone", "--quiet", `${host.url}/bench/large`, to], { env });
}

async function firstCommand(api: Api, host: GitHost): Promise<void> {
  const [agent, environment] = await Promise.all([
    makeAgent(api),
    makeEnvironment(api, { name: `bench ${crypto.randomUUID()}` }),
  ]);
  const session = await api.ok("POST", "/sessions", {
    agent: agent.id,
    environment_id: environment.id,
    resources: [{ type: "hosted_repository", url: `${host.url}/bench/large` }],
    initial_events: [steps(bash("git -C large rev-parse HEAD"))],
  });
  await eventsUntil(api, session.id, ({ type }) => type === "agent.tool_result");
}

function manyFiles(): Record<string, string> {
  const path = (index: number) => `src/part-${index % 70}/module-${index}.txt`;
  const text = (index: number) =>
    Array.from(
      { length: 40 },
      (_, line) => `${index}.${line} ${(index * 7919 + line * 104_729) % 1_000_003}\n`,
    ).join("");
  return Object.fromEntries(Array.from({ length: fileCount }, (_, index) => [path(index), text(index)]));
}
