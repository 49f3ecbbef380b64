import type { Limits } from "../interface/spec.ts";

/** Share of the memory limit that the heap of a Go program may reach before it collects more often. */
const GO_HEAP = 0.9;

/** Returns variables that tell a sandbox's limits to programs which do not read them from control groups. */
export function limitVariables({ memoryBytes }: Pick<Limits, "memoryBytes">): Record<string, string> {
  return { GOMEMLIMIT: String(Math.floor(memoryBytes * GO_HEAP)) };
}
