import { formatId } from "@berth/contract";
import type { Sandbox } from "@berth/sandbox";
import { type InsideParts, repositoryInside } from "../credentials/repository-inside.ts";
import type { Lease } from "../lease.ts";
import type { RunLog } from "../run-log.ts";
import type { CloneRepository } from "./clone-repository.ts";
import type { Outcome } from "./place-outcome.ts";
import { createProgressReport } from "./progress-report.ts";
import type { RunRepository } from "./resource-store.ts";

export interface CloneParts extends InsideParts {
  clone: CloneRepository;
}

/** Clones one repository to its place and tells how far it is. */
export async function cloneInto(
  parts: CloneParts,
  { lease, sandbox, runLog }: { lease: Lease; sandbox: Sandbox; runLog: RunLog },
  repository: RunRepository,
): Promise<Outcome> {
  const report = createProgressReport(runLog, formatId("session_resource", repository.id));
  try {
    return await parts.clone(sandbox, {
      ...(await repositoryInside(parts, lease.sessionId, repository)),
      checkout: repository.checkout,
      onProgress: report.progress,
    });
  } finally {
    await report.end();
  }
}
