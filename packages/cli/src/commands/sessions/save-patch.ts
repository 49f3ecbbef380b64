import { writeFile } from "node:fs/promises";
import type { Berth, RepositoryChanges } from "@berth/sdk";
import { UsageError } from "../../shared/failure.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printMessage } from "../../terminal/print.ts";

interface PatchOptions extends OutputOptions {
  /** The file; `-` is standard output. */
  patch: string;
  /** Mount path or id. Default: the only repository with changes. */
  repository?: string;
}

/**
 * Saves the changes in a repository as a patch for `git apply`. Names what is left out, and then returns 1.
 */
export async function savePatch(
  client: Berth,
  id: string,
  repositories: readonly RepositoryChanges[],
  options: PatchOptions,
): Promise<number | undefined> {
  const { resource_id, mount_path } = chosen(repositories, options.repository);
  const { patch, left_out, more_left_out } = await client.sessions.changes.patch(id, resource_id);
  if (options.patch === "-") process.stdout.write(patch);
  else {
    await writeFile(options.patch, patch);
    const saved = { resource_id, mount_path, file: options.patch, left_out, more_left_out };
    await printResult(saved, options, () => [plainLine(options.patch)]);
  }
  const notes = left_out.map(({ path, reason }) => `left out: ${plainLine(path)}: ${reason}`);
  if (more_left_out > 0) notes.push(`left out: ${more_left_out} more files`);
  if (!options.quiet) for (const note of notes) printMessage(note);
  return notes.length === 0 ? undefined : 1;
}

function chosen(repositories: readonly RepositoryChanges[], wanted: string | undefined): RepositoryChanges {
  const fitting = repositories.filter(({ status, file_count, mount_path, resource_id }) =>
    wanted === undefined
      ? status === "compared" && file_count > 0
      : mount_path === wanted || resource_id === wanted,
  );
  const [one, ...others] = fitting;
  if (one !== undefined && others.length === 0) return one;
  const paths = repositories.map(({ mount_path }) => plainLine(mount_path)).join(", ");
  if (one === undefined && wanted === undefined) throw new UsageError("No repository has changed files.");
  throw new UsageError(
    wanted === undefined
      ? `Several repositories have changed files: name one with --repository (${paths}).`
      : `The session has no repository '${plainLine(wanted)}'; it has: ${paths}.`,
  );
}
