import { Gauge, type Registry } from "prom-client";

/** Measures of the database and the disk at one scrape. Null when there was no response in time. */
export interface Measured {
  database: DatabaseMeasures | null;
  disk: { size: number; free: number } | null;
}

export interface DatabaseMeasures {
  sessionsByStatus: readonly { status: string; count: number }[];
  /** Number of sessions that wait for a runner, and the seconds for which the first has waited. */
  due: { count: number; seconds: number };
  /** Number of sessions that are set aside, so that no turn runs until they are released. */
  setAside: number;
  bytes: number;
}

/** Adds the gauges of one scrape. A measure that is missing gets no gauge, rather than a former value. */
export function addInstallationGauges(registry: Registry, { database, disk }: Measured): void {
  const set = (name: string, help: string, value: number) => gauge(registry, name, help).set(value);
  set("berth_database_up", "Whether the database responds.", database === null ? 0 : 1);
  set(
    "berth_resident_memory_bytes",
    "Resident memory of the process that serves this request.",
    process.memoryUsage.rss(),
  );
  if (disk !== null) {
    const bytes = gauge(registry, "berth_data_directory_bytes", DISK_HELP, ["state"]);
    for (const [state, value] of Object.entries(disk)) bytes.set({ state }, value);
  }
  if (database === null) return;
  const { sessionsByStatus, due, setAside } = database;
  const sessions = gauge(registry, "berth_sessions", "Sessions that are not archived, by status.", [
    "status",
  ]);
  for (const { status, count } of sessionsByStatus) sessions.set({ status }, count);
  set("berth_due_sessions", "Sessions that wait for a runner.", due.count);
  set("berth_due_seconds", "Longest time that a session has waited for a runner.", due.seconds);
  set("berth_set_aside_sessions", "Sessions that are set aside until they are released.", setAside);
  set("berth_database_bytes", "Size of the database.", database.bytes);
}

const DISK_HELP = "The file system of the data directory: its size, and what is free for Berth.";

function gauge<Label extends string = never>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: Label[] = [],
): Gauge<Label> {
  return new Gauge({ name, help, labelNames, registers: [registry] });
}
