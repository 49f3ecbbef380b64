import type { Berth, RepositoryChanges, RepositoryDiff } from "@berth/sdk";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { UsageError } from "../../shared/failure.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { isForPeople, printResult } from "../../shared/output.ts";
import { type Palette, paletteFor } from "../../terminal/palette.ts";
import { plainLine, plainText } from "../../terminal/plain-text.ts";
import { printMessage } from "../../terminal/print.ts";
import { changedLines } from "./changed-lines.ts";

interface DiffOptions extends ConnectionOptions, OutputOptions {
  stat?: boolean;
  patch?: string;
  repository?: string;
}

/**
 * Prints the diffs of a session's repositories, of one path or all; with `--stat`, a summary. With `--patch`,
 * saves what `git apply` takes.
 */
export async function diffSession(
  id: string,
  path: string | undefined,
  options: DiffOptions,
): Promise<number | undefined> {
  const { patch, repository } = options;
  if (patch !== undefined && path !== undefined)
    throw new UsageError("--patch saves all changes of a repository: give no path.");
  if (patch === undefined && repository !== undefined) throw new UsageError("--repository needs --patch.");
  const client = await connect(options);
  const changes = await client.sessions.changes.get(id);
  if (patch !== undefined) {
    const { savePatch } = await import("./save-patch.ts");
    return await savePatch(client, id, changes.repositories, { ...options, patch });
  }
  if (options.stat) {
    const palette = paletteFor(process.stdout);
    await printResult(changes, options, () =>
      changes.repositories.flatMap((repository) => changedLines(repository, palette)),
    );
    return undefined;
  }
  const data = await diffsOf(client, id, changes.repositories, path);
  await printResult({ data }, options, () =>
    data.flatMap(({ diff }) => diffLines(diff, paletteFor(process.stdout))),
  );
  if (isForPeople(options) && !options.quiet)
    for (const note of notesOf(changes.repositories, data)) printMessage(note);
  return undefined;
}

async function diffsOf(
  client: Berth,
  id: string,
  repositories: readonly RepositoryChanges[],
  path: string | undefined,
): Promise<RepositoryDiff[]> {
  const compared = repositories.filter(({ status, file_count }) => status === "compared" && file_count > 0);
  const query = path === undefined ? {} : { path };
  return await Promise.all(
    compared.map(({ resource_id }) => client.sessions.changes.diff(id, resource_id, query)),
  );
}

function diffLines(diff: string, { bold, cyan, green, red }: Palette): string[] {
  const lines = process.stdout.isTTY ? plainText(diff).split("\n") : diff.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => {
    if (/^(diff |index |--- |\+\+\+ |new file|deleted file|rename |similarity )/.test(line))
      return bold(line);
    if (line.startsWith("@@")) return cyan(line);
    if (line.startsWith("+")) return green(line);
    return line.startsWith("-") ? red(line) : line;
  });
}

/** Returns notes about changes that the diffs do not show. */
function notesOf(repositories: readonly RepositoryChanges[], diffs: readonly RepositoryDiff[]): string[] {
  const byResource = new Map(diffs.map((diff) => [diff.resource_id, diff]));
  return repositories.flatMap(({ resource_id, mount_path, reason }) => {
    if (reason !== null) return [`${mount_path} was not compared: ${plainLine(reason)}`];
    const { truncated = false, large_files: large = [] } = byResource.get(resource_id) ?? {};
    return [
      ...(truncated ? [`The diff of ${mount_path} is cut: give one path to see all of it.`] : []),
      ...large.map((path) => `${plainLine(path)} of ${mount_path} was not compared: it is too large.`),
    ];
  });
}
