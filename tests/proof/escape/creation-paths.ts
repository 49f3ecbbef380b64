import { setTimeout as pause } from "node:timers/promises";
import type { Api } from "../../acceptance/harness/api.ts";
import type { Berth } from "../../acceptance/harness/berth.ts";
import { bash, steps, turn } from "../../acceptance/harness/fixtures.ts";
import { eventsUntil } from "../../acceptance/harness/stream.ts";
import { commandOf, descendantsOf, endRunner } from "../../crash/processes.ts";

/** A way by which the sandbox comes to be in which a session's next command runs. */
export interface CreationPath {
  /** Settings of the service. */
  settings: Record<string, string>;
  /** Brings a session without a sandbox there. No other session of the service has one meanwhile. */
  prepare(scene: Scene): Promise<void>;
  /** Whether the marks of `MARK` are left then: the one beside the disk, and the one on it. */
  left: { scratch: boolean; data: boolean };
}

export interface Scene {
  berth: Berth;
  api: Api;
  session: string;
}

/** Leaves a mark on the disk, and one that lives as long as the sandbox. */
const MARK = "echo 1 >/tmp/mark; echo 1 >/data/mark";
const STAYING = { BERTH_SANDBOX_IDLE_SECONDS: "600" };
const PARKING = { BERTH_SANDBOX_IDLE_SECONDS: "0" };

export const creationPaths: Readonly<Record<string, CreationPath>> = {
  cold: { settings: STAYING, prepare: async () => {}, left: { scratch: false, data: false } },
  warm: {
    settings: STAYING,
    async prepare({ api, session }) {
      await turn(api, session, bash(MARK));
    },
    left: { scratch: true, data: true },
  },
  parked: {
    settings: PARKING,
    async prepare({ berth, api, session }) {
      await turn(api, session, bash(MARK));
      await untilProcesses(berth, (commands) => !commands.some((text) => text.includes(PROCESS_1)));
    },
    left: { scratch: false, data: true },
  },
  reclaimed: {
    settings: { ...PARKING, BERTH_DISK_RECLAIM_SECONDS: "1" },
    async prepare({ api, session }) {
      await turn(api, session, bash(MARK));
      await eventsUntil(api, session, ({ type }) => type === "session.container_reclaimed");
    },
    left: { scratch: false, data: false },
  },
  crashed: {
    settings: STAYING,
    async prepare({ berth, api, session }) {
      const message = steps(bash(`${MARK}; exec sleep 61`));
      await api.ok("POST", `/sessions/${session}/events`, { events: [message] });
      await untilProcesses(berth, (commands) => commands.some((text) => /^sleep 61\b/.test(text)));
      await endRunner(berth);
      await eventsUntil(api, session, ({ type }) => type === "session.status_idle");
    },
    left: { scratch: false, data: true },
  },
};

/** What the first process of every sandbox runs. */
const PROCESS_1 = "/run/berth/supervisor";

/** Waits until the command lines of all processes of the service are such. */
async function untilProcesses(berth: Berth, fits: (commands: string[]) => boolean): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    if (fits(descendantsOf(berth.pid).map(commandOf))) return;
    await pause(30);
  }
  throw new Error("The processes did not come to that.");
}
