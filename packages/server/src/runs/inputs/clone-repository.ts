import type { Checkout, EventOf } from "@berth/contract";
import type { Sandbox } from "@berth/sandbox";
import type { Outcome } from "./place-outcome.ts";
import type { SessionRepository } from "./session-repository.ts";

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
