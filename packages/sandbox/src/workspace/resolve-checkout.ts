import { branchTip, defaultBranch, isObjectId, type RemoteRefs } from "./refs/remote-refs.ts";
import type { RepositoryCheckout } from "./repository/repository.ts";

/** What to check out, resolved against the refs of the host. */
export interface ResolvedCheckout {
  /** Short name of the host's default branch. */
  head: string;
  /** Either `branch` or `commit` is empty. */
  branch: string;
  /** Of a tag: the object that it names, which may be a tag object of the commit. */
  commit: string;
  /** Full name of a ref that is fetched for itself and checked out; `branch` is the default branch then. Empty for none. */
  ref: string;
}

/** Returns null when the branch or tag does not exist, or no default branch; a clone then reports the error. */
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

/** A tag that does not exist has the commit "-", which no check passes. */
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

/** Parameters of `settle` in `settle.sh`, which are never part of a script's text. */
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
