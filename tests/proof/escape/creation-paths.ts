import { readdirSync } from "node:fs";
import { mkdtemp, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Api, Json } from "../../acceptance/harness/api.ts";
import type { Berth } from "../../acceptance/harness/berth.ts";
import { bash, makeEnvironment, makeSession, runTurn, steps } from "../../acceptance/harness/fixtures.ts";
import { waitForSnapshots } from "../../acceptance/harness/repository-snapshots.ts";
import { readEventsUntil } from "../../acceptance/harness/stream.ts";
import { commandOf, descendantsOf, endRunner } from "../../crash/processes.ts";
import type { Repository } from "./repository.ts";

/** A way by which the sandbox comes to be in which a session's next command runs. */
export interface CreationPath {
  /** Settings of the service, beside those that let it reach the repository. */
  settings: Record<string, string>;
  /** A data directory for the service; default: a new one. */
  dataDir?(): Promise<string>;
  /** Fields of the session, its resources besides its files among them. */
  session?(scene: Scene): Promise<{ environment_id?: string; resources?: Json[] }>;
  /** Brings the session, which has no sandbox yet, there. No other session of the service has one meanwhile. */
  prepare?(scene: Scene, session: string): Promise<unknown>;
  /** Whether the marks of `MARK` are left then: the one beside the disk, and the one on it. */
  left: { scratch: boolean; data: boolean };
  /** A command that tells inside whether this was the way, and what it prints then. */
  witness?(repository: Repository): { command: string; prints: RegExp };
  /** Why this machine lacks it. */
  lack?: string | false;
}

export interface Scene {
  berth: Berth;
  api: Api;
  repository: Repository;
}

/** Leaves a mark on the disk, and one that lives as long as the sandbox. */
const MARK = "echo 1 >/tmp/mark; echo 1 >/data/mark";
const STAYING = { BERTH_SANDBOX_IDLE_SECONDS: "600" };
const PARKING = { BERTH_SANDBOX_IDLE_SECONDS: "0" };
const NOTHING_LEFT = { scratch: false, data: false };

/** Where tests keep the Debian tree, which takes a minute to make. */
const TREES = join(tmpdir(), "berth-test-systems");

export const creationPaths: Readonly<Record<string, CreationPath>> = {
  cold: { settings: STAYING, left: NOTHING_LEFT },
  warm: {
    settings: STAYING,
    prepare: ({ api }, session) => runTurn(api, session, bash(MARK)),
    left: { scratch: true, data: true },
  },
  "parked and opened again": {
    settings: PARKING,
    async prepare({ berth, api }, session) {
      await runTurn(api, session, bash(MARK));
      await untilProcesses(berth, (commands) => !commands.some((text) => text.includes(PROCESS_1)));
    },
    left: { scratch: false, data: true },
  },
  "made anew after a reclaim": {
    settings: { ...PARKING, BERTH_DISK_RECLAIM_SECONDS: "1" },
    async prepare({ api }, session) {
      await runTurn(api, session, bash(MARK));
      await readEventsUntil(api, session, ({ type }) => type === "session.container_reclaimed");
    },
    left: NOTHING_LEFT,
  },
  "opened after a crash": {
    settings: STAYING,
    async prepare({ berth, api }, session) {
      const message = steps(bash(`${MARK}; exec sleep 61`));
      await api.ok("POST", `/sessions/${session}/events`, { events: [message] });
      await untilProcesses(berth, (commands) => commands.some((text) => /^sleep 61\b/.test(text)));
      await endRunner(berth);
      await readEventsUntil(api, session, ({ type }) => type === "session.status_idle");
    },
    left: { scratch: false, data: true },
  },
  "shown a template of a repository": {
    settings: STAYING,
    async session({ berth, api, repository }) {
      const first = await makeSession(api, { resources: [repository.resource] });
      await runTurn(api, first.id, bash("true"));
      await waitForSnapshots(berth, repository.url, 1);
      await api.ok("DELETE", `/sessions/${first.id}`);
      return { resources: [repository.resource] };
    },
    left: NOTHING_LEFT,
    witness: () => ({ command: "stat -f -c %T /data/repository", prints: /^overlayfs$/ }),
  },
  "without the credentials of its repository": {
    settings: STAYING,
    session: async ({ api, repository }) => ({
      environment_id: (await makeEnvironment(api, { credentials: "proxy" })).id,
      resources: [repository.resource],
    }),
    left: NOTHING_LEFT,
    // The pattern is not what it looks for, so that it does not find itself.
    witness: ({ token }) => ({
      command: `cat /proc/[0-9]*/environ | grep -a -c '${token.slice(0, -1)}[${token.slice(-1)}]'; git -C /data/repository fetch && echo fetched`,
      prints: /^0\nfetched$/,
    }),
  },
  "on a Debian of Berth's own": {
    settings: { ...STAYING, BERTH_ROOTFS: "debian" },
    async dataDir() {
      const directory = await mkdtemp(join(tmpdir(), "berth-test-"));
      await symlink(TREES, join(directory, "rootfs"));
      return directory;
    },
    left: NOTHING_LEFT,
    witness: () => ({ command: "grep -c /bookworm- /proc/self/mountinfo", prints: /^[1-9]/ }),
    lack: trees().length === 0 && "no test of the system has made the tree yet",
  },
};

/** What the first process of every sandbox runs. */
const PROCESS_1 = "/run/berth/supervisor";

function trees(): string[] {
  try {
    return readdirSync(TREES).filter((name) => /^bookworm-[0-9a-f]+$/.test(name));
  } catch {
    return [];
  }
}

/** Waits until the command lines of all processes of the service are such. */
async function untilProcesses(berth: Berth, fits: (commands: string[]) => boolean): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    if (fits(descendantsOf(berth.pid).map(commandOf))) return;
    await pause(30);
  }
  throw new Error("The processes did not come to that.");
}
