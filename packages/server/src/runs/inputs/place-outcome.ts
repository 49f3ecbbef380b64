import type { SessionErrorType } from "@berth/contract";

/** Why a resource is not there, in a sentence for people and models. */
export interface Fault {
  type: SessionErrorType;
  message: string;
}

/** How putting a resource in place went. `later`: it waits for a fresh sandbox, or for one that lives. */
export type Outcome = { commit?: string } | { fault: Fault } | "later";
