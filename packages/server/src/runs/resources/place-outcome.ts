import type { Fault } from "./tell-resource.ts";

/** How putting a resource in place went. `later`: it waits for a fresh sandbox, or for one that lives. */
export type Outcome = { commit?: string } | { fault: Fault } | "later";
