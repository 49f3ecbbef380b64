import type { Sandbox } from "../sandbox.ts";
import { createProgressReader } from "./clone-progress.ts";
import type { CloneOptions } from "./clone-repository.ts";
import { clonedHead } from "./clone-script.ts";
import { gitFunction, protocolOf } from "./git-function.ts";
import type { RepositoryMount } from "./repository.ts";
import { settleFunction, type Wanted, wantedVariables } from "./settle-clone.ts";

/**
 * Brings a template that is mounted at the repository's mount path, as the agent will have it, to what a fresh clone would be now.
 * Null when it could not be: its host did not answer, or the template holds what this credential does not see, such as commits
 * that were taken out of a branch. What is at the mount path is a remainder then, which a clone with `anew` replaces.
 */
export async function refreshClone(
  sandbox: Pick<Sandbox, "run">,
  repository: Pick<RepositoryMount, "url" | "mountPath">,
  wanted: Wanted,
  { environment, onProgress, signal, timeoutMs = 3_600_000 }: CloneOptions,
): Promise<{ commit: string } | null> {
  const { exitCode, output } = await sandbox.run({
    script: refreshScript,
    cwd: "/",
    environment: {
      ...environment,
      ...wantedVariables(repository.url, wanted),
      BERTH_CLONE_TARGET: repository.mountPath,
    },
    timeoutMs,
    ...(onProgress === undefined ? {} : { onOutput: createProgressReader(onProgress) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const head = exitCode === 0 ? clonedHead(new TextDecoder().decode(output)) : null;
  return head && head.commit !== "" ? { commit: head.commit } : null;
}

/** As long as its own directory is there, all that is at the mount path is a remainder; see `cloneScript`. */
const refreshScript = `set -u
${protocolOf("$BERTH_CLONE_URL")}
${gitFunction}
${settleFunction}
work=$BERTH_CLONE_TARGET
own_work=$work/.git/berth-clone
mkdir -p -- "$own_work" || exit 1
shown() { here for-each-ref --format="$1%(objectname)" refs/remotes/origin refs/tags | sort -u; }
shown '' >"$own_work/before" || exit 1
here fetch --progress --no-tags --no-write-fetch-head --prune --force --refmap= -- "$BERTH_CLONE_URL" \\
  '+refs/heads/*:refs/remotes/origin/*' '+refs/tags/*:refs/tags/*' || exit 1
if [ -n "$BERTH_CLONE_COMMIT" ]; then
  here cat-file -e "$BERTH_CLONE_COMMIT^{commit}" 2>/dev/null || here fetch -q --no-write-fetch-head -- "$BERTH_CLONE_URL" "$BERTH_CLONE_COMMIT" || exit 1
fi
shown '' >"$own_work/now" && comm -23 "$own_work/before" "$own_work/now" >"$own_work/former" || exit 1
if [ -s "$own_work/former" ]; then
  shown '^' >>"$own_work/former"
  unseen=$( (here rev-list --objects --stdin <"$own_work/former" && echo none) | head -c 5) || exit 1
  [ "$unseen" = none ] || exit 1
fi
settle || exit 1
rm -rf -- "$own_work" || exit 1
printf '\\nberth:done %s %s\\n' "$(here rev-parse --verify --quiet HEAD)" "$(here symbolic-ref -q --short HEAD)"
`;
