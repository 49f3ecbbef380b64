import { type Machine, readMachine } from "@berth/linux";

/** Their connections leave room for others among the hundred that a PostgreSQL accepts by default. */
export const MOST_API_PROCESSES = 8;

/** What this machine can use: one processor is left to the database and to the process that runs sessions. */
export function usefulApiProcesses({ cpus }: Pick<Machine, "cpus"> = readMachine()): number {
  return Math.min(MOST_API_PROCESSES, Math.max(1, Math.floor(cpus) - 1));
}
