import type { Checkout, EventOf } from "@berth/contract";
import type { Sandbox } from "@berth/sandbox";
import type { Outcome } from "./place-outcome.ts";
import type { RunRepository } from "./resource-store.ts";

/** A repository with what git needs to reach it. */
export interface SessionRepository {
  /** A hosted one's token is also its provider's, whose CLI gets it; a generic one's password is for git alone. */
  type: RunRepository["type"];
  url: string;
  mountPath: string;
  /** Null for the default. */
  username: string | null;
  /** The token or the password; null for one that is read without. */
  secret: string | null;
}

/** A repository to be put in place. */
export interface CloneRequest extends SessionRepository {
  checkout: Checkout | null;
  onProgress: (progress: Progress) => void;
}

/** As the sandbox's workspace has it. `anew`: what is at the mount path is a remainder. */
export type CloneRepository = (
  sandbox: Sandbox,
  repository: CloneRequest & { anew?: boolean },
) => Promise<Outcome>;

export type Progress = Pick<EventOf<"session.resource_progress">, "phase" | "percent">;
