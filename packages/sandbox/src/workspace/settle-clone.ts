import { defaultBranch, isObjectId, type RemoteRefs, tipOf } from "./refs/remote-refs.ts";
import type { RepositoryCheckout } from "./repository.ts";

/** What a clone is to check out of refs that are known. */
export interface Wanted {
  /** Short name of the host's default branch. */
  head: string;
  /** Of `branch` and `commit`, one is the empty text. */
  branch: string;
  commit: string;
}

/** Null where a clone has to tell what is wrong: there is no such branch, or none by default. */
export function wantedOf(refs: RemoteRefs, checkout: RepositoryCheckout | null): Wanted | null {
  const head = defaultBranch(refs);
  if (head === null) return null;
  const wanted =
    checkout?.type === "commit"
      ? { head, branch: "", commit: checkout.sha }
      : { head, branch: checkout?.name ?? head, commit: "" };
  const named = wanted.branch === "" || tipOf(refs, wanted.branch) !== undefined;
  const known = wanted.commit === "" || isObjectId(wanted.commit);
  return named && known && ![head, wanted.branch].some((name) => name.startsWith("-")) ? wanted : null;
}

/** What `settle` reads. Values are never part of a script's text. */
export function wantedVariables(url: string, { head, branch, commit }: Wanted): Record<string, string> {
  return {
    BERTH_CLONE_URL: url,
    BERTH_CLONE_HEAD: head,
    BERTH_CLONE_BRANCH: branch,
    BERTH_CLONE_COMMIT: commit,
  };
}

/**
 * Shell text that makes of the clone in `$work` what a fresh one of the url would be, whatever it was made from: the wanted
 * branch or commit is checked out, and all that tells of before is gone. The host's branches and tags have to be there.
 */
export const settleFunction = `settle() {
  head=$BERTH_CLONE_HEAD own=\${BERTH_CLONE_BRANCH:-$BERTH_CLONE_HEAD} commit=$BERTH_CLONE_COMMIT
  now=$(here rev-parse --verify --quiet HEAD) && here update-ref --no-deref HEAD "$now" || return 1
  here for-each-ref --format='%(refname)' refs/heads | while IFS= read -r ref; do
    here update-ref -d "$ref"
    here config --remove-section "branch.\${ref#refs/heads/}" 2>/dev/null
  done
  if [ -n "$commit" ]; then
    here checkout -q --force --detach "$commit" && here update-ref "refs/heads/$own" "refs/remotes/origin/$own" || return 1
  else
    here checkout -q --force --no-track -B "$own" "refs/remotes/origin/$own" || return 1
  fi
  here config remote.origin.url "$BERTH_CLONE_URL" && here config "branch.$own.remote" origin &&
    here config "branch.$own.merge" "refs/heads/$own" || return 1
  here symbolic-ref refs/remotes/origin/HEAD "refs/remotes/origin/$head" || return 1
  rm -rf -- "$work/.git/logs" "$work/.git/FETCH_HEAD" "$work/.git/ORIG_HEAD"
  who=$(here var GIT_COMMITTER_IDENT) && tell_log "refs/heads/$own" "refs/heads/$own" || return 1
  tell_log refs/remotes/origin/HEAD "refs/remotes/origin/$head" && tell_log HEAD "refs/heads/$own" || return 1
  if [ -n "$commit" ]; then
    printf '%s %s %s\\tcheckout: moving from %s to %s\\n' "$tip" "$commit" "$who" "$own" "$commit" >>"$work/.git/logs/HEAD" || return 1
  fi
}
tell_log() {
  tip=$(here rev-parse --verify "$2") && mkdir -p -- "$(dirname -- "$work/.git/logs/$1")" || return 1
  printf '%s %s %s\\tclone: from %s\\n' "$(printf %s "$tip" | tr 0-9a-f 0)" "$tip" "$who" "$BERTH_CLONE_URL" >"$work/.git/logs/$1"
}
here() { git -C "$work" "$@"; }`;
