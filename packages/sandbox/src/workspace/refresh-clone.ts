import type { Sandbox } from "../interface/sandbox.ts";
import { shellScript } from "../scripts/read-script.ts";
import { createProgressReader } from "./clone-progress.ts";
import type { CloneOptions } from "./clone-repository.ts";
import { clonedHead } from "./clone-script.ts";
import type { RepositoryMount } from "./repository/repository.ts";
import { checkoutVariables, type ResolvedCheckout } from "./resolve-checkout.ts";

/**
 * Updates a snapshot that is mounted at the repository's mount path to the state of a fresh clone. Returns
 * null when the host did not respond, or the snapshot contains objects that this credential cannot read, such
 * as commits removed from a branch. The mount path is then unusable until a clone with `overwrite` replaces
 * it.
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

const REFRESH = shellScript(
  "workspace/git.sh",
  "workspace/lfs.sh",
  "workspace/settle.sh",
  "workspace/refresh-clone.sh",
);
