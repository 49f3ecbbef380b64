import { defaultBranch, isObjectId, type RemoteRefs, tipOf } from "./refs/remote-refs.ts";
import type { RepositoryCheckout } from "./repository/repository.ts";

/** What a clone is to check out of refs that are known. */
export interface ResolvedCheckout {
  /** Short name of the host's default branch. */
  head: string;
  /** Of `branch` and `commit`, one is the empty text. */
  branch: string;
  commit: string;
}

/** Null where a clone has to tell what is wrong: there is no such branch, or none by default. */
export function resolveCheckout(
  refs: RemoteRefs,
  checkout: RepositoryCheckout | null,
): ResolvedCheckout | null {
  const head = defaultBranch(refs);
  if (head === null) return null;
  const resolved =
    checkout?.type === "commit"
      ? { head, branch: "", commit: checkout.sha }
      : { head, branch: checkout?.name ?? head, commit: "" };
  const named = resolved.branch === "" || tipOf(refs, resolved.branch) !== undefined;
  const known = resolved.commit === "" || isObjectId(resolved.commit);
  return named && known && ![head, resolved.branch].some((name) => name.startsWith("-")) ? resolved : null;
}

/** What `settle` reads. Values are never part of a script's text. */
export function checkoutVariables(
  url: string,
  { head, branch, commit }: ResolvedCheckout,
): Record<string, string> {
  return {
    BERTH_CLONE_URL: url,
    BERTH_CLONE_HEAD: head,
    BERTH_CLONE_BRANCH: branch,
    BERTH_CLONE_COMMIT: commit,
  };
}
