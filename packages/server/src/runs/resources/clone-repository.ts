import type { Checkout, EventOf } from "@berth/contract";
import type { Sandbox } from "@berth/sandbox";
import type { Outcome } from "./place-outcome.ts";
import type { SessionRepository } from "./session-repository.ts";

/** As the sandbox's workspace has it. */
export type CloneRepository = (
  sandbox: Sandbox,
  repository: SessionRepository & {
    checkout: Checkout | null;
    onProgress: (progress: Progress) => void;
  },
) => Promise<Outcome>;

export type Progress = Pick<EventOf<"session.resource_progress">, "phase" | "percent">;
