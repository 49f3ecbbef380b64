import type { Config } from "./config.ts";

/** Minimum connections: two for long sweeps, a third for other writes, and a fourth for reads. */
export const LEAST_CONNECTIONS = 4;
export const MOST_CONNECTIONS = 500;

const DEFAULTS = { main: 13, further: 7, runner: 6, egress: 4 };

/** Connections of one process, besides the one for LISTEN. */
export interface Connections {
  /** Connections for writes and transactions. */
  max: number;
  /** Connections for reads. */
  readers: number;
}

/** Returns a process's number of connections. @param process `further`: not the first process of the API. */
export function connectionsOf(
  { databasePool, role }: Pick<Config, "databasePool" | "role">,
  process: "main" | "further" = "main",
): Connections {
  const count = databasePool ?? DEFAULTS[role === "runner" || role === "egress" ? role : process];
  const readers = Math.min(3, Math.max(1, Math.round(count / 4)));
  return { max: count - readers, readers };
}
