import type { PullRequest, RepositoryPullRequests } from "@berth/sdk";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { UsageError } from "../../shared/failure.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { type Palette, paletteFor } from "../../terminal/palette.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printMessage } from "../../terminal/print.ts";
import { count } from "../../terminal/quantities.ts";

/** Seconds: whoever asks by hand wants to know what is so now. */
export const NOW = { max_age: 5 };

/**
 * Prints the state, checks and reviews of a session's pull requests. Returns 1 if a host did not say all; the
 * reason is on standard error.
 */
export async function printPullRequests(
  id: string,
  options: ConnectionOptions & OutputOptions & { repository?: string },
): Promise<number> {
  const client = await connect(options);
  const found = await client.sessions.pullRequests.get(id, NOW);
  const wanted = await mountedAt(client, id, options.repository);
  const repositories = found.repositories.filter(
    ({ resource_id }) => wanted === null || resource_id === wanted,
  );
  if (wanted !== null && repositories.length === 0)
    throw new UsageError(`The session has no repository '${plainLine(options.repository ?? "")}'.`);
  await printResult({ ...found, repositories }, options, () => {
    const palette = paletteFor(process.stdout);
    return repositories.flatMap((one) => linesOf(one, palette));
  });
  for (const { error, repository } of repositories)
    if (error !== null) printMessage(`${plainLine(repository)}: ${plainLine(error.message)}`);
  return repositories.some(({ error }) => error !== null) ? EXIT_CODES.failed : EXIT_CODES.done;
}

/** Returns the id of the repository that is meant by its mount path or id; null if none is named. */
async function mountedAt(
  client: Awaited<ReturnType<typeof connect>>,
  id: string,
  wanted: string | undefined,
): Promise<string | null> {
  if (wanted === undefined) return null;
  const { resources } = await client.sessions.get(id);
  return resources.find(({ mount_path }) => mount_path === wanted)?.id ?? wanted;
}

function linesOf(
  { repository, branches, pull_requests }: RepositoryPullRequests,
  palette: Palette,
): string[] {
  if (pull_requests.length === 0) {
    const [branch] = branches;
    const why =
      branch === undefined ? "no branch was pushed" : `no pull request of the branch ${plainLine(branch)}`;
    return [`${palette.bold(plainLine(repository))}  ${why}`];
  }
  return pull_requests.flatMap((one) => [
    `${palette.bold(`${plainLine(repository)} ${one.number}`)}  ${stateOf(one, palette)}  ${plainLine(one.title)}`,
    `  ${plainLine(one.url)}`,
    `  checks   ${checksOf(one, palette)}`,
    ...one.checks.failed.map(
      ({ name, url }) =>
        `    ${palette.red("failed")} ${plainLine(name)}${url === null ? "" : `  ${plainLine(url)}`}`,
    ),
    `  reviews  ${one.reviews.state.replaceAll("_", " ")}${reviewersOf(one)}`,
  ]);
}

function stateOf({ state, mergeable, base }: PullRequest, palette: Palette): string {
  const into = `into ${plainLine(base)}`;
  const colours = { open: palette.green, draft: palette.dim, merged: palette.bold, closed: palette.red };
  const conflicts = mergeable === false ? `, ${palette.red("with conflicts")}` : "";
  return `${colours[state](state)} ${into}${conflicts}`;
}

function checksOf({ checks }: PullRequest, palette: Palette): string {
  const { state, total, failed_count, pending_count } = checks;
  if (state === "none" || state === "unknown") return state;
  const colours = { passing: palette.green, failing: palette.red, pending: palette.yellow };
  const counts = [
    ...(failed_count > 0 ? [`${count(failed_count)} failed`] : []),
    ...(pending_count > 0 ? [`${count(pending_count)} pending`] : []),
  ];
  return `${colours[state](state)}, ${[...counts, `${count(total)} in all`].join(", ")}`;
}

function reviewersOf({ reviews }: PullRequest): string {
  const said = reviews.reviews.map(
    ({ author, state }) => `${plainLine(author)} ${state.replaceAll("_", " ")}`,
  );
  return said.length === 0 ? "" : ` (${said.join(", ")})`;
}
