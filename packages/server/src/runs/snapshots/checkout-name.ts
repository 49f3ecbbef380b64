import type { Wanted } from "@berth/sandbox";

/** What a template has checked out, as it is kept: the default branch is a branch like any other. */
export function checkoutOf({ branch, commit }: Wanted): string {
  return commit === "" ? `branch ${branch}` : `commit ${commit}`;
}
