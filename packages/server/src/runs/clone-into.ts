import type { Checkout, EventOf } from "@berth/contract";
import { formatId } from "@berth/contract";
import type { Sandbox } from "@berth/sandbox";
import type { SecretBox } from "../secrets/secret-box.ts";
import { createProgressReport } from "./progress-report.ts";
import type { Outcome } from "./provision.ts";
import { repositoryToken } from "./repository-token.ts";
import type { RunRepository } from "./resource-store.ts";
import type { RunLog } from "./run-log.ts";

export interface CloneParts {
  secrets: SecretBox;
  clone: CloneRepository;
}

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

/** Clones one repository to its place and tells how far it is. */
export async function cloneInto(
  parts: CloneParts,
  { sandbox, runLog }: { sandbox: Sandbox; runLog: RunLog },
  repository: RunRepository,
): Promise<Outcome> {
  const report = createProgressReport(runLog, formatId("session_resource", repository.id));
  try {
    return await parts.clone(sandbox, {
      url: repository.url,
      mountPath: repository.mountPath,
      checkout: repository.checkout,
      token: repositoryToken(parts.secrets, repository),
      onProgress: report.progress,
    });
  } finally {
    await report.end();
  }
}
