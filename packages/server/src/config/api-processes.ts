import { type Machine, readMachine } from "@berth/linux";

/** Maximum number of API processes, which leaves connections of PostgreSQL's default hundred to others. */
export const MOST_API_PROCESSES = 8;

/** Returns how many API processes can be useful. One processor is left to the database and the sessions. */
export function usefulApiProcesses({ cpus }: Pick<Machine, "cpus"> = readMachine()): number {
  return Math.min(MOST_API_PROCESSES, Math.max(1, Math.floor(cpus) - 1));
}
