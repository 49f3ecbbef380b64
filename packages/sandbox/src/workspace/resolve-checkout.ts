import { branchTip, defaultBranch, isObjectId, type RemoteRefs } from "./refs/remote-refs.ts";
import type { RepositoryCheckout } from "./repository/repository.ts";

/** A checkout, resolved against the refs of the host. */
export interface ResolvedCheckout {
  /** Short name of the host's default branch. */
  head: string;
  /** Name of a branch. Exactly one of `branch` and `commit` is not empty. */
  branch: string;
  /** Object id of a commit. For a tag, the object that it names, which may be a tag object. */
  commit: string;
  /**
   * Full name of a ref that is fetched separately and checked out; `branch` is then the default branch. Empty
   * for none.
   */
  ref: string;
}

/**
 * Resolves a checkout. Returns null when the branch or tag, or a default branch, does not exist; a clone then
 * reports the error.
 */
export function resolveCheckout(
  refs: RemoteRefs,
  checkout: RepositoryCheckout | null,
): ResolvedCheckout | null {
  const head = defaultBranch(refs);
  if (head === null) return null;
  const resolved = { head, ...pointOf(refs, checkout, head) };
  const named = resolved.branch === "" || branchTip(refs, resolved.branch) !== undefined;
  const known = resolved.commit === "" || isObjectId(resolved.commit);
  return named && known && ![head, resolved.branch].some((name) => name.startsWith("-")) ? resolved : null;
}

/** Returns what is checked out. A missing tag gets the commit "-", which no check accepts. */
function pointOf(
  refs: RemoteRefs,
  checkout: RepositoryCheckout | null,
  head: string,
): Pick<ResolvedCheckout, "branch" | "commit" | "ref"> {
  if (checkout?.type === "commit") return { branch: "", commit: checkout.sha, ref: "" };
  if (checkout?.type === "tag")
    return { branch: "", commit: refs.objects.get(`refs/tags/${checkout.name}`) ?? "-", ref: "" };
  if (checkout?.type === "ref") return { branch: head, commit: "", ref: checkout.name };
  return { branch: checkout?.name ?? head, commit: "", ref: "" };
}

/** Returns the parameters of `settle` in `settle.sh`, which are never part of a script's text. */
export function checkoutVariables(
  url: string,
  { head, branch, commit, ref }: ResolvedCheckout,
): Record<string, string> {
  return {
    BERTH_CLONE_URL: url,
    BERTH_CLONE_HEAD: head,
    BERTH_CLONE_BRANCH: branch,
    BERTH_CLONE_COMMIT: commit,
    BERTH_CLONE_REF: ref,
  };
}
