import type { Sandbox } from "../interface/sandbox.ts";
import { shellScript } from "../scripts/read-script.ts";
import { createProgressReader } from "./clone-progress.ts";
import type { CloneOptions } from "./clone-repository.ts";
import { clonedHead } from "./clone-script.ts";
import type { RepositoryMount } from "./repository/repository.ts";
import { checkoutVariables, type ResolvedCheckout } from "./resolve-checkout.ts";

/**
 * Brings a snapshot that is mounted at the repository's mount path, as the agent will have it, to what a fresh clone would be now.
 * Null when it could not be: its host did not answer, or the snapshot holds what this credential does not see, such as commits
 * that were taken out of a branch. What is at the mount path is a remainder then, which a clone with `overwrite` replaces.
 */
export async function refreshClone(
  sandbox: Pick<Sandbox, "run">,
  repository: Pick<RepositoryMount, "url" | "mountPath">,
  resolved: ResolvedCheckout,
  { environment, onProgress, signal, timeoutMs = 3_600_000 }: CloneOptions,
): Promise<{ commit: string } | null> {
  const { exitCode, output } = await sandbox.run({
    script: REFRESH,
    cwd: "/",
    environment: {
      ...environment,
      ...checkoutVariables(repository.url, resolved),
      BERTH_CLONE_TARGET: repository.mountPath,
    },
    timeoutMs,
    ...(onProgress === undefined ? {} : { onOutput: createProgressReader(onProgress) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const head = exitCode === 0 ? clonedHead(new TextDecoder().decode(output)) : null;
  return head && head.commit !== "" ? { commit: head.commit } : null;
}

const REFRESH = shellScript("workspace/git.sh", "workspace/settle.sh", "workspace/refresh-clone.sh");
