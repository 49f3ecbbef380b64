import type { Checkout, EventOf } from "@berth/contract";
import type { Sandbox } from "@berth/sandbox";
import type { Outcome } from "./place-outcome.ts";

/** As the sandbox's workspace has it. */
export type CloneRepository = (
  sandbox: Sandbox,
  repository: {
    url: string;
    mountPath: string;
    checkout: Checkout | null;
    token: string | null;
    onProgress: (progress: Progress) => void;
  },
) => Promise<Outcome>;

export type Progress = Pick<EventOf<"session.resource_progress">, "phase" | "percent">;
