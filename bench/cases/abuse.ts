import { setTimeout as pause } from "node:timers/promises";
import type { AnyJson, Api } from "../../tests/acceptance/harness/api.ts";
import { makeEnvironment, makeSession, steps } from "../../tests/acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../../tests/acceptance/harness/stream.ts";
import { ABUSES } from "../../tests/proof/abuse/abuses.ts";
import { makeNeighbour, p99 } from "../../tests/proof/abuse/neighbour.ts";
import type { Figure } from "../figure.ts";

const MEASURED = [
  "a fork bomb",
  "a memory bomb",
  "memory in many small processes",
  "a full disk",
  "every descriptor",
  "busy loops on all cores",
  "a gigabyte of output",
  "a thousand short commands",
];
const SAMPLES = 25;
const BUSY_SESSIONS = 8;
/** The bound in milliseconds that a neighbour's latency may always reach; above it, latency may double. */
const MIN_BOUND_MS = 50;

/**
 * Measures the latency of API calls and of a neighbour's commands. Meanwhile one session repeats each kind of
 * abuse, and then eight sessions keep all cores busy. The peer is the latency without abuse, measured just
 * before.
 */
export async function abuseFigures(api: Api): Promise<Figure[]> {
  const resources = { cpus: 1, memory_mb: 64, pids: 64, disk_mb: 64 };
  const { id: environment } = await makeEnvironment(api, { resources });
  const neighbour = await makeNeighbour(api, environment);
  const figures: Figure[] = [];
  const measure = async (what: string, abusers: readonly string[][]) => {
    const quiet = await neighbour.during(Promise.resolve(), SAMPLES);
    const sessions = await Promise.all(abusers.map((commands) => begin(api, environment, commands)));
    const beside = await neighbour.during(Promise.resolve(), SAMPLES);
    await Promise.all(sessions.map(({ id }) => end(api, id)));
    for (const [kind, name] of [
      ["calls", "API call"],
      ["commands", "neighbour's command"],
    ] as const) {
      const [value, peerValue] = [p99(beside[kind]), p99(quiet[kind])];
      const met = value <= Math.max(2 * peerValue, MIN_BOUND_MS);
      const note = `p99; limit is twice the peer, or ${MIN_BOUND_MS} ms: ${met ? "met" : "missed"}`;
      figures.push({
        what: `${name} beside ${what}`,
        peer: "the same without abuse",
        unit: "ms",
        value,
        peerValue,
        note,
      });
    }
  };
  for (const name of MEASURED) {
    const command = ABUSES[name]?.command ?? "";
    await measure(name, [Array.from({ length: 100 }, () => command)]);
  }
  const busy = ABUSES["busy loops on all cores"]?.command ?? "";
  await measure(
    `${BUSY_SESSIONS} sessions of busy loops`,
    Array.from({ length: BUSY_SESSIONS }, () => [busy]),
  );
  return figures;
}

/** Starts a session and resolves while its first command runs. */
async function begin(api: Api, environment: string, commands: readonly string[]): Promise<AnyJson> {
  const session = await makeSession(api, { environment_id: environment });
  const calls = commands.map((command) => ({
    tool: "Bash",
    input: { command: `rm -rf /data/* /tmp/*; ${command}`, timeout: 60_000 },
  }));
  await api.ok("POST", `/sessions/${session.id}/events`, { events: [steps(...calls)] });
  await readEventsUntil(api, session.id, ({ type }) => type === "session.container_started");
  await pause(500);
  return session;
}

async function end(api: Api, id: string): Promise<void> {
  await api.ok("POST", `/sessions/${id}/events`, { events: [{ type: "user.interrupt" }] });
  await readEventsUntil(api, id, ({ type }) => type === "session.status_idle");
  await api.ok("DELETE", `/sessions/${id}`);
  while ((await api.get(`/sessions/${id}`)).status === 200) await pause(20);
}
