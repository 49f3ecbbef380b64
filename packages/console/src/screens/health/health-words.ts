import type { Health, HealthCheck, HealthHost } from "@berth/sdk";
import { formatPlural } from "../../format/numbers.ts";
import type { Tone } from "../../ui/badge.tsx";

export const CHECK_LOOKS: Readonly<Record<HealthCheck["state"], { tone: Tone; text: string }>> = {
  yes: { tone: "ok", text: "OK" },
  degraded: { tone: "warn", text: "Degraded" },
  no: { tone: "bad", text: "Missing" },
};

const FAULTS: Readonly<Record<NonNullable<Health["fault"]>, string>> = {
  draining: "It is stopping: running turns proceed to a point where they can resume.",
  starting: "The process that runs sessions is starting.",
  frozen: "The process that runs sessions is frozen.",
  heartbeat: "The process that runs sessions cannot reach the database.",
  no_runner: "No runner has reported.",
  sandbox: "No sandbox can be opened; the log of the service says why.",
  database: "The database does not respond.",
};

/** Returns the state of the installation as a title and a sentence. */
export function summaryOf({ fault, checks, sessions }: Health): { tone: Tone; title: string; about: string } {
  if (fault !== null) return { tone: "bad", title: "No sessions run", about: FAULTS[fault] };
  const missing = checks.filter(({ state }) => state === "no").length;
  const weak = checks.filter(({ state }) => state === "degraded").length;
  if (missing > 0)
    return {
      tone: "bad",
      title: `${formatPlural(missing, "check")} failed`,
      about: "Sessions run, but some checks have findings: see below.",
    };
  if (sessions.due > 0 && sessions.due_seconds > WAITS_LONG_S)
    return {
      tone: "warn",
      title: "Sessions wait",
      about: "No runner has claimed them for more than two minutes.",
    };
  if (weak > 0)
    return {
      tone: "warn",
      title: `${formatPlural(weak, "check")} degraded`,
      about: "Sessions run, but this machine is not fully used.",
    };
  return { tone: "ok", title: "All is well", about: "Sessions run, and every check passes." };
}

/** Seconds of waiting from which the summary warns. The alert in the guide uses the same value. */
const WAITS_LONG_S = 120;

/** Milliseconds without a sign of life after which a host is offline. */
const AWAY_MS = 30_000;

export function hostState(host: HealthHost, now: number): { tone: Tone; text: string } {
  if (host.seen_at === null) return { tone: "neutral", text: "Never seen" };
  if (now - Date.parse(host.seen_at) > AWAY_MS) return { tone: "bad", text: "Offline" };
  return host.draining ? { tone: "warn", text: "Draining" } : { tone: "ok", text: "Online" };
}

/** Returns the used share of a disk, from 0 to 1. */
export function takenShare({ size_bytes, free_bytes }: { size_bytes: number; free_bytes: number }): number {
  return size_bytes === 0 ? 0 : Math.min(1, Math.max(0, 1 - free_bytes / size_bytes));
}

/** Returns a check's name as words: `data_directory` becomes `Data directory`. */
export function checkName(name: string): string {
  const words = name.replaceAll("_", " ").replace(/^api\b/, "API");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
