import type { PullRequest } from "@berth/sdk";

type Place = { mount_path: string };

/** Returns the message that asks the agent to make the failing checks of a pull request pass. */
export function checksMessage({ mount_path }: Place, { url, number, head, checks }: PullRequest): string {
  const names = checks.failed.map(({ name, url: page }) =>
    page === null ? `- ${JSON.stringify(name)}` : `- ${JSON.stringify(name)}: ${page}`,
  );
  const more = checks.failed_count - checks.failed.length;
  return [
    `Make the failing checks of pull request ${number} pass: ${url}`,
    ["The host says that these failed:", ...names, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n"),
    `Find out why, with the session's credential, for example with gh, and by running them in ${mount_path}. Fix the cause rather than the check, commit, and push to the branch ${JSON.stringify(head)}. Say what was wrong.`,
  ].join("\n\n");
}

/** Returns the message that asks the agent to answer the reviews of a pull request. */
export function reviewsMessage({ mount_path }: Place, { url, number, head }: PullRequest): string {
  return [
    `Answer the reviews of pull request ${number}: ${url}`,
    `Read the reviews and their comments at the host, with the session's credential, for example with gh. Where they are right, change the code in ${mount_path}, commit, and push to the branch ${JSON.stringify(head)}. Where they are not, say why. Summarize what you did for each comment.`,
  ].join("\n\n");
}
