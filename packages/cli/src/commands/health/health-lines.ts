import type { Health, HealthCheck, HealthHost } from "@berth/sdk";
import { type Palette, paletteFor } from "../../terminal/palette.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { bytes, count, duration } from "../../terminal/quantities.ts";
import { table } from "../../terminal/table.ts";

/** Returns lines about readiness, each check, each service, and the amounts. */
export function healthLines(health: Health): string[] {
  const palette = paletteFor(process.stdout);
  const ready = health.ready ? "ready" : `not ready (${health.fault})`;
  return [
    `Berth ${plainLine(health.version)}: ${ready}`,
    "",
    ...table(health.checks.map((check) => checkRow(check, palette))),
    ...(health.hosts.length === 0 ? [] : ["", ...hostTable(health.hosts, palette)]),
    "",
    ...table(amounts(health)),
  ];
}

function checkRow({ name, state, detail }: HealthCheck, { green, yellow, red, dim }: Palette): string[] {
  const mark = state === "yes" ? green("ok") : state === "degraded" ? yellow("weak") : red("missing");
  return [mark, plainLine(name), dim(plainLine(detail))];
}

function hostTable(hosts: readonly HealthHost[], { dim }: Palette): string[] {
  const head = ["HOST", "NAME", "ROLE", "VERSION", "TURNS AT ONCE", "SESSIONS", "LAST SEEN", "STATE"];
  return table([
    head.map((word) => dim(word)),
    ...hosts.map((host) => [
      host.id,
      plainLine(host.name ?? "-"),
      host.role ?? "-",
      plainLine(host.version ?? "-"),
      host.capacity === null ? "-" : count(host.capacity),
      count(host.sessions),
      host.seen_at ?? "never",
      stateOf(host),
    ]),
  ]);
}

function stateOf({ draining, other_settings: other }: HealthHost): string {
  const states = [
    ...(draining ? ["draining"] : []),
    ...(other.length === 0 ? [] : [`other ${other.join(", ")}`]),
  ];
  return states.length === 0 ? "-" : states.join("; ");
}

function amounts({
  sessions,
  disk,
  database_bytes,
  session_disks,
  repository_snapshots,
}: Health): string[][] {
  const { idle, running, rescheduling, terminated, due, due_seconds, set_aside } = sessions;
  const waits = due === 0 ? "none waits" : `${count(due)} wait, the first for ${duration(due_seconds)}`;
  return [
    [
      "sessions",
      `${count(running)} running, ${count(rescheduling)} rescheduling, ${count(idle)} idle, ${count(terminated)} ended; ${waits}`,
    ],
    ...(set_aside === 0
      ? []
      : [
          ["set aside", `${count(set_aside)}: the process that ran them crashed; see the log of the service`],
        ]),
    ["session disks", `${count(session_disks.count)}, ${bytes(session_disks.bytes)}`],
    [
      "snapshots",
      `${count(repository_snapshots.count)} of ${count(repository_snapshots.repositories)} repositories, ${bytes(repository_snapshots.bytes)}`,
    ],
    ["database", bytes(database_bytes)],
    ["data directory", disk === null ? "-" : `${bytes(disk.free_bytes)} free of ${bytes(disk.size_bytes)}`],
  ];
}
