import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Api } from "../tests/acceptance/harness/api.ts";
import { Berth } from "../tests/acceptance/harness/berth.ts";
import { bash, makeAgent, makeEnvironment, steps } from "../tests/acceptance/harness/fixtures.ts";
import { providerSettings } from "../tests/acceptance/harness/provider-settings.ts";
import { readEventsUntil } from "../tests/acceptance/harness/stream.ts";
import { descendantsOf } from "../tests/crash/processes.ts";
import type { GitHost } from "../tests/git-host/git-host.ts";
import { startGitHostOnDefaultPort } from "../tests/git-host/github-host.ts";

const TIMEOUT_MS = 600_000;

/** Sessions of one agent in one environment. */
export interface Sessions {
  /**
   * Creates a session with the repository, or with none, and waits for the result of its first command.
   * Returns the session's id.
   */
  firstCommand(name: string | null): Promise<string>;
}

/** A service, and an https git server with large repositories. */
export interface RepositoryBench extends Sessions {
  api: Api;
  berth: Berth;
  /** Runs `git clone` of a repository over https, outside of any sandbox. */
  plainClone(name: string): Promise<void>;
  /** Creates a repository with the same content as the first, not cloned yet, and returns its name. */
  copy(): Promise<string>;
  /** Resolves when the service has created `count` repository snapshots since it started. */
  snapshots(count: number): Promise<void>;
  /** Resolves when the service has no open sandbox. */
  parked(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the service and the git server. @param files contents by path. */
export async function startRepositoryBench(
  files: Record<string, string>,
  settings: Record<string, string> = {},
): Promise<RepositoryBench> {
  const directory = await mkdtemp(join(tmpdir(), "bench-git-"));
  const host = await startGitHostOnDefaultPort({ dir: join(directory, "host") });
  await host.createRepository({ org: "bench", name: "large", private: false, files });
  const berth = await Berth.start({ settings: { ...providerSettings(host), ...settings } });
  const api = await berth.client();
  let count = 0;
  return {
    ...(await sessionsOf(api, host)),
    api,
    berth,
    async plainClone(name) {
      const to = join(directory, `clone-${++count}`);
      await clone(host, name, to);
      await rm(to, { recursive: true });
    },
    async copy() {
      const name = `large-${++count}`;
      const from = join(directory, "host", "repositories", "bench", "large.git");
      await host.createRepository({ org: "bench", name, private: false, copyOf: from });
      return name;
    },
    snapshots: (wanted) =>
      until(
        () => berth.log.split('"a repository snapshot was built"').length > wanted,
        "The repository snapshots were not created.",
      ),
    parked: () => until(() => openSandboxes(berth.pid) === 0, "The sandboxes stayed open."),
    async stop() {
      await berth.stop();
      await host.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Returns sessions of one agent in one environment. @param fields of the environment. */
export async function sessionsOf(
  api: Api,
  host: Pick<GitHost, "url">,
  fields: Parameters<typeof makeEnvironment>[1] = {},
): Promise<Sessions> {
  const [agent, environment] = await Promise.all([makeAgent(api), makeEnvironment(api, fields)]);
  return {
    async firstCommand(name) {
      const session = await api.ok("POST", "/sessions", {
        agent: agent.id,
        environment_id: environment.id,
        resources: name === null ? [] : [{ type: "hosted_repository", url: `${host.url}/bench/${name}` }],
        initial_events: [steps(bash(name === null ? "true" : `git -C ${name} rev-parse HEAD`))],
      });
      const events = await readEventsUntil(api, session.id, ({ type }) => type === "agent.tool_result");
      const result = events.at(-1);
      if (result?.is_error) throw new Error(JSON.stringify(result.content));
      return session.id;
    },
  };
}

/** Returns the number of the service's open sandboxes. */
export function openSandboxes(servicePid: number): number {
  return descendantsOf(servicePid).filter(isSandbox).length;
}

async function until(holds: () => boolean, failure: string): Promise<void> {
  const begun = performance.now();
  while (!holds()) {
    if (performance.now() - begun > TIMEOUT_MS) throw new Error(failure);
    await delay(50);
  }
}

function isSandbox(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8") === "bwrap\n";
  } catch {
    return false;
  }
}

async function clone(host: GitHost, name: string, to: string): Promise<void> {
  // Git resolves the server's name as sandboxes do: names below localhost are on this machine.
  const env = { ...process.env, GIT_SSL_CAINFO: host.caFile };
  await promisify(execFile)("git", ["clone", "--quiet", `${host.url}/bench/${name}`, to], { env });
}

/** Returns small text files in 700 directories. */
export function manyFiles(count: number, lines = 40): Record<string, string> {
  const path = (index: number) => `src/part-${index % 700}/module-${index}.txt`;
  const text = (index: number) =>
    Array.from(
      { length: lines },
      (_, line) => `${index}.${line} ${(index * 7919 + line * 104_729) % 1_000_003}\n`,
    ).join("");
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [path(index), text(index)]));
}
