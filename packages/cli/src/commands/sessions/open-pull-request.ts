import {
  type Berth,
  type PullRequest,
  parentCallOf,
  pullRequestIn,
  pullRequestMessage,
  type RepositoryChanges,
} from "@berth/sdk";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { UsageError } from "../../shared/failure.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { isForPeople, printResult } from "../../shared/output.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printMessage } from "../../terminal/print.ts";
import { followTurn } from "./follow-turn.ts";
import { NOW, printPullRequests } from "./pull-request-state.ts";

interface PullRequestOptions extends ConnectionOptions, OutputOptions {
  repository?: string;
  message?: string;
  state?: boolean;
}

/**
 * Asks the agent to push its commits and to open a pull request, follows the turn, and prints the address
 * that its answer names. Returns 1 if it names none, else the exit code of the turn. If one is open and has all
 * commits, and there is no further wish, it prints that one's address and asks nothing.
 */
export async function openPullRequest(id: string, options: PullRequestOptions): Promise<number> {
  if (options.state === true) return await printPullRequests(id, options);
  const client = await connect(options);
  const { repositories } = await client.sessions.changes.get(id);
  const repository = committed(repositories, options.repository);
  const open = options.message === undefined ? await openWithAll(client, id, repository) : null;
  if (open !== null) {
    printMessage("A pull request is open, and has all commits.");
    return await printAddress(id, repository, open.url, options);
  }
  const text = pullRequestMessage(repository, options.message);
  const content = [{ type: "text" as const, text }];
  const { data } = await client.sessions.events.send(id, { events: [{ type: "user.message", content }] });
  let answer = "";
  const code = await followTurn(client, id, {
    ...options,
    // In other formats than that for people, the address is the only result.
    quiet: options.quiet === true || !isForPeople(options),
    after_id: data[0]?.id ?? "",
    onFrame: (frame) => {
      if (frame.type === "agent.message" && parentCallOf(frame) === null)
        answer += `${frame.content.map((block) => block.text).join("")}
`;
    },
  });
  if (code !== EXIT_CODES.done) return code;
  const url = pullRequestIn(answer, repository.url);
  if (url === null) {
    printMessage("The agent's answer names no pull request of the repository.");
    return EXIT_CODES.failed;
  }
  return await printAddress(id, repository, url, options);
}

async function printAddress(
  id: string,
  { resource_id }: RepositoryChanges,
  url: string,
  options: PullRequestOptions,
): Promise<number> {
  await printResult({ session_id: id, resource_id, url }, options, () => [plainLine(url)]);
  return EXIT_CODES.done;
}

/** Returns the open pull request of the current branch if all its commits are pushed; else null. */
async function openWithAll(
  client: Berth,
  id: string,
  { resource_id, branch, commits }: RepositoryChanges,
): Promise<PullRequest | null> {
  if (!commits.every(({ pushed }) => pushed)) return null;
  const { repositories } = await client.sessions.pullRequests.get(id, NOW);
  const known = repositories.find((one) => one.resource_id === resource_id)?.pull_requests ?? [];
  return known.find(({ head, state }) => head === branch && (state === "open" || state === "draft")) ?? null;
}

/** Returns the repository to open a pull request for: the wanted one, or the only one with commits. */
function committed(
  repositories: readonly RepositoryChanges[],
  wanted: string | undefined,
): RepositoryChanges {
  const [one, ...others] = repositories.filter(
    ({ mount_path, resource_id, commit_count }) =>
      commit_count > 0 && (wanted === undefined || mount_path === wanted || resource_id === wanted),
  );
  if (one === undefined)
    throw new UsageError("There are no commits to open a pull request with.", EXIT_CODES.failed);
  if (others.length === 0) return one;
  const paths = [one, ...others].map(({ mount_path }) => plainLine(mount_path)).join(", ");
  throw new UsageError(`Several repositories have commits: name one with --repository (${paths}).`);
}
