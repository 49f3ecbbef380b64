import type { Checkout, EventOf, SessionErrorType } from "@berth/contract";
import type { Sandbox } from "@berth/sandbox";
import type { RunRepository } from "./resource-store.ts";

/** Why a resource could not be put in place, in a sentence for people and models. */
export interface PlacementFault {
  type: SessionErrorType;
  message: string;
  /** Whether the same attempt may succeed later. Default: false. */
  transient?: boolean;
  /** Milliseconds that the host asks to wait; null or absent when it does not say. */
  retryAfterMs?: number | null;
}

/** A resource that is in place. */
export interface Placed {
  commit?: string;
  /** The part of it that is missing, in a sentence for people and models. */
  note?: string;
  /** Why no snapshot could be made of it before, as a clause for people. */
  noSnapshot?: string;
  /** Why its environment's setup is missing, in a sentence for people and models. */
  unprepared?: string;
}

/** The outcome of placing a resource. `later`: it waits for a fresh sandbox, or for one that is alive. */
export type Placement = Placed | { fault: PlacementFault } | "later";

/** A repository with what git needs to reach it. */
export interface SessionRepository {
  /**
   * The token of a hosted repository is also valid at its provider, whose CLI gets it. The password of a
   * generic one is for git alone.
   */
  type: RunRepository["type"];
  url: string;
  mountPath: string;
  /** The user name; null for the default. */
  username: string | null;
  /** The token or the password; null for a repository that needs none. */
  secret: string | null;
}

/** A repository to put in place. */
export interface CloneRequest extends SessionRepository {
  checkout: Checkout | null;
  onProgress: (progress: CloneProgress) => void;
}

/** Clones into the sandbox. `overwrite`: whether to replace what an earlier attempt left. */
export type CloneRepository = (
  sandbox: Sandbox,
  repository: CloneRequest & { overwrite?: boolean },
) => Promise<Placement>;

export type CloneProgress = Pick<EventOf<"session.resource_progress">, "phase" | "percent">;
