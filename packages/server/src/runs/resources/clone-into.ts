import { formatId } from "@berth/contract";
import type { Sandbox } from "@berth/sandbox";
import type { SecretBox } from "../../secrets/secret-box.ts";
import type { RunLog } from "../run-log.ts";
import type { CloneRepository } from "./clone-repository.ts";
import type { Outcome } from "./place-outcome.ts";
import { createProgressReport } from "./progress-report.ts";
import type { RunRepository } from "./resource-store.ts";
import { openRepository } from "./session-repository.ts";

export interface CloneParts {
  secrets: SecretBox;
  clone: CloneRepository;
}

/** Clones one repository to its place and tells how far it is. */
export async function cloneInto(
  parts: CloneParts,
  { sandbox, runLog }: { sandbox: Sandbox; runLog: RunLog },
  repository: RunRepository,
): Promise<Outcome> {
  const report = createProgressReport(runLog, formatId("session_resource", repository.id));
  try {
    return await parts.clone(sandbox, {
      ...openRepository(parts.secrets, repository),
      checkout: repository.checkout,
      onProgress: report.progress,
    });
  } finally {
    await report.end();
  }
}
