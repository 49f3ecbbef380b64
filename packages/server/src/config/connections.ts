import type { Config } from "./config.ts";

/** Two sweeps may each hold one for long, a third is left to all else, and reads have one. */
export const LEAST_CONNECTIONS = 4;
export const MOST_CONNECTIONS = 500;

const DEFAULTS = { main: 13, further: 7, runner: 6, egress: 4 };

/** Connections of one process, besides the one that listens. */
export interface Connections {
  /** For writes and transactions. */
  max: number;
  /** For reads. */
  readers: number;
}

/** @param process `further`: a process of the API beside the first one. */
export function connectionsOf(
  { databasePool, role }: Pick<Config, "databasePool" | "role">,
  process: "main" | "further" = "main",
): Connections {
  const count = databasePool ?? DEFAULTS[role === "runner" || role === "egress" ? role : process];
  const readers = Math.min(3, Math.max(1, Math.round(count / 4)));
  return { max: count - readers, readers };
}
