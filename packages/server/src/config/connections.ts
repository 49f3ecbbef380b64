import type { Config } from "./config.ts";

/** Minimum connections: two for long sweeps, a third for other writes, and a fourth for reads. */
export const LEAST_CONNECTIONS = 4;
export const MOST_CONNECTIONS = 500;

const DEFAULTS = { all: 13, api: 13, runner: 6, egress: 4 };

/** Connections of one process, besides the one for LISTEN. */
export interface Connections {
  /** Connections for writes and transactions. */
  max: number;
  /** Connections for reads. */
  readers: number;
}

/** Returns the number of connections of the main process of a service. */
export function connectionsOf({ databasePool, role }: Pick<Config, "databasePool" | "role">): Connections {
  const count = databasePool ?? DEFAULTS[role];
  const readers = Math.min(3, Math.max(1, Math.round(count / 4)));
  return { max: count - readers, readers };
}
