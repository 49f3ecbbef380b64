import type { RepositoryChangesOf } from "@berth/contract";

/**
 * Returns the message that asks an agent to push its commits in a repository and to open a pull request. It
 * writes title and body itself, and ends its answer with the address. `more` are further wishes.
 */
export function pullRequestMessage(
  { mount_path, branch }: Pick<RepositoryChangesOf, "mount_path" | "branch">,
  more = "",
): string {
  const current =
    branch === null ? "No branch is checked out" : `The branch ${JSON.stringify(branch)} is checked out`;
  return [
    `Open a pull request with your commits in ${mount_path}.`,
    `${current}. If that is not a branch of your own, create one at your commits. Push it to origin, and open the pull request (or merge request) against the branch that was cloned, with the session's credential, such as by gh. If one is open for the branch, update that. Write its title and its body yourself: what changed and why, and how you checked it.`,
    "End your answer with the address of the pull request on a line of its own. If it cannot be opened, say why.",
    more.trim(),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The path of a pull request after its repository's: of GitHub, Gitea and Forgejo, GitLab, Bitbucket. */
const PULL_REQUEST = `/(?:pull|pulls|-/merge_requests|merge_requests|pull-requests)/[1-9][0-9]*(?![0-9])`;

/**
 * Returns the last address of a pull request of a repository that a text names; null if there is none.
 * Addresses of other repositories and hosts do not count.
 *
 * @param url the repository's
 */
export function pullRequestIn(text: string, url: string): string | null {
  const repository = url.replace(/\/+$/, "").replace(/\.git$/, "");
  const pattern = new RegExp(
    `${repository.replaceAll(/[^A-Za-z0-9/:]/g, String.raw`\$&`)}${PULL_REQUEST}`,
    "gi",
  );
  return text.match(pattern)?.at(-1) ?? null;
}
