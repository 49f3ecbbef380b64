import { setTimeout as pause } from "node:timers/promises";
import type { Api, Json } from "../../acceptance/harness/api.ts";
import type { Berth } from "../../acceptance/harness/berth.ts";
import { bash, makeEnvironment, makeSession, runTurn, steps } from "../../acceptance/harness/fixtures.ts";
import { waitForSnapshots } from "../../acceptance/harness/repository-snapshots.ts";
import { sharedSystem } from "../../acceptance/harness/root-filesystem.ts";
import { readEventsUntil } from "../../acceptance/harness/stream.ts";
import { commandOf, descendantsOf, killRunner } from "../../crash/processes.ts";
import type { Repository } from "./repository.ts";

/** A way in which the service creates the sandbox of a session's next command. */
export interface CreationPath {
  /** Settings of the service, besides those for the repository. */
  settings: Record<string, string>;
  /** Fields of the session, with resources in addition to its files. */
  session?(scene: Scene): Promise<{ environment_id?: string; resources?: Json[] }>;
  /** Prepares the session, which has no sandbox yet. No other session has one at that time. */
  prepare?(scene: Scene, session: string): Promise<unknown>;
  /** Whether each mark of `MARK` remains: the one outside the disk, and the one on it. */
  remaining: { scratch: boolean; data: boolean };
  /** A command that verifies inside the sandbox how it was created, and its expected output. */
  verify?(repository: Repository): { command: string; expected: RegExp };
  /** The reason why this machine cannot test it; false if it can. */
  missing?: string | false;
}

/** The service of a creation path, and the repository that its sessions clone. */
export interface Scene {
  berth: Berth;
  api: Api;
  repository: Repository;
}

/** A command that creates a mark on the disk, and one outside of it that lasts as long as the sandbox. */
const MARK = "echo 1 >/dev/shm/mark; echo 1 >/data/mark";
const KEEP_OPEN = { BERTH_SANDBOX_IDLE_SECONDS: "600" };
const CLOSE_AT_ONCE = { BERTH_SANDBOX_IDLE_SECONDS: "0" };
const NOTHING_REMAINS = { scratch: false, data: false };

const SYSTEM = sharedSystem();

export const CREATION_PATHS: Readonly<Record<string, CreationPath>> = {
  cold: { settings: KEEP_OPEN, remaining: NOTHING_REMAINS },
  warm: {
    settings: KEEP_OPEN,
    prepare: ({ api }, session) => runTurn(api, session, bash(MARK)),
    remaining: { scratch: true, data: true },
  },
  "reopened after it was closed": {
    settings: CLOSE_AT_ONCE,
    async prepare({ berth, api }, session) {
      await runTurn(api, session, bash(MARK));
      await waitForProcesses(berth, (commands) => !commands.some((text) => text.includes(PROCESS_1)));
    },
    remaining: { scratch: false, data: true },
  },
  "recreated after a reclaim": {
    settings: { ...CLOSE_AT_ONCE, BERTH_DISK_RECLAIM_SECONDS: "1" },
    async prepare({ api }, session) {
      await runTurn(api, session, bash(MARK));
      await readEventsUntil(api, session, ({ type }) => type === "session.container_reclaimed");
    },
    remaining: NOTHING_REMAINS,
  },
  "reopened after a crash": {
    settings: KEEP_OPEN,
    async prepare({ berth, api }, session) {
      const message = steps(bash(`${MARK}; exec sleep 61`));
      await api.ok("POST", `/sessions/${session}/events`, { events: [message] });
      await waitForProcesses(berth, (commands) => commands.some((text) => /^sleep 61\b/.test(text)));
      await killRunner(berth);
      await readEventsUntil(api, session, ({ type }) => type === "session.status_idle");
    },
    remaining: { scratch: false, data: true },
  },
  "created with a repository snapshot": {
    settings: KEEP_OPEN,
    async session({ berth, api, repository }) {
      const first = await makeSession(api, { resources: [repository.resource] });
      await runTurn(api, first.id, bash("true"));
      await waitForSnapshots(berth, repository.url, 1);
      await api.ok("DELETE", `/sessions/${first.id}`);
      return { resources: [repository.resource] };
    },
    remaining: NOTHING_REMAINS,
    verify: () => ({ command: "stat -f -c %T /data/repository", expected: /^overlayfs$/ }),
  },
  "created with proxied credentials": {
    settings: KEEP_OPEN,
    session: async ({ api, repository }) => ({
      environment_id: (await makeEnvironment(api, { credentials: "proxy" })).id,
      resources: [repository.resource],
    }),
    remaining: NOTHING_REMAINS,
    // The pattern differs from the token, so that grep does not find its own arguments.
    verify: ({ token }) => ({
      command: `cat /proc/[0-9]*/environ | grep -a -c '${token.slice(0, -1)}[${token.slice(-1)}]'; git -C /data/repository fetch && echo fetched`,
      expected: /^0\nfetched$/,
    }),
  },
  "created on Berth's root filesystem": {
    settings: { ...KEEP_OPEN, ...SYSTEM.settings },
    remaining: NOTHING_REMAINS,
    verify: () => ({ command: "grep -c /trixie- /proc/self/mountinfo", expected: /^[1-9]/ }),
    missing: SYSTEM.skip,
  },
};

/** The program of the first process of every sandbox. */
const PROCESS_1 = "/run/berth/supervisor";

/** Waits until the command lines of the service's processes match. */
async function waitForProcesses(berth: Berth, matches: (commands: string[]) => boolean): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    if (matches(descendantsOf(berth.pid).map(commandOf))) return;
    await pause(30);
  }
  throw new Error("timed out waiting for the processes of the service");
}
