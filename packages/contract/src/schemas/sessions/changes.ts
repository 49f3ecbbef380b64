import { z } from "zod";
import { idOf, timestamp } from "../../conventions/fields.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

/** Maximum commits, files and pushes that are listed for each repository. The counts include all of them. */
export const MAX_LISTED_COMMITS = 250;
export const MAX_LISTED_FILES = 1_000;
export const MAX_LISTED_PUSHES = 20;
/** Maximum bytes of a diff. */
export const MAX_DIFF_BYTES = 1_048_576;
/** Maximum bytes of a file that is compared. */
export const MAX_COMPARED_FILE_BYTES = 8_388_608;

const lines = (what: string) =>
  z
    .int()
    .nullable()
    .meta({
      description: `Lines ${what}. Null for binary files, submodules, and files that changed meanwhile.`,
    });

const changedFile = z
  .strictObject({
    path: z.string().meta({
      description: "Relative to the repository. Bytes that are not UTF-8 are U+FFFD, here and in diffs.",
    }),
    old_path: z.string().nullable().meta({ description: "Of a renamed file; else null." }),
    status: z
      .enum(["added", "modified", "deleted", "renamed", "type_changed"])
      .meta({ description: "Untracked files that git does not ignore are `added`." }),
    type: z
      .enum(["file", "symlink", "submodule"])
      .meta({ description: "`submodule` also stands for a repository within the repository." }),
    additions: lines("added"),
    deletions: lines("deleted"),
    binary: z.boolean().meta({
      description: `Also true for a file of more than ${MAX_COMPARED_FILE_BYTES.toLocaleString("en")} bytes, or among the largest of many: it is not compared, and counts as changed when its time or size changed.`,
    }),
  })
  .meta({ id: "ChangedFile" });

const commit = z
  .strictObject({
    sha: z.string(),
    subject: z.string(),
    author: z.strictObject({ name: z.string(), email: z.string() }),
    authored_at: timestamp.nullable().meta({ description: "Null when the commit names no valid time." }),
    pushed: z
      .boolean()
      .meta({ description: "Whether a remote branch has the commit, as of the clone's last push or fetch." }),
  })
  .meta({ id: "ClonedCommit" });

export const repositoryChanges = z
  .strictObject({
    type: z.literal("repository_changes"),
    resource_id: idOf("session_resource"),
    url: z.string(),
    mount_path: z.string(),
    status: z.enum(["compared", "not_in_place", "unreadable"]).meta({
      description:
        "`not_in_place`: it is not cloned yet, or could not be cloned. `unreadable`: `reason` says why. Both have no commits and files.",
    }),
    reason: z.string().nullable().meta({ description: "One sentence for people. Null when it is compared." }),
    branch: z.string().nullable().meta({ description: "The current branch. Null when HEAD is detached." }),
    base_commit: z
      .string()
      .nullable()
      .meta({ description: "The commit that was cloned. Null for a repository without commits." }),
    head_commit: z.string().nullable().meta({ description: "Null while there is no commit." }),
    pushes: z.array(z.strictObject({ branch: z.string(), commit: z.string() })).meta({
      description: `The last commit that the clone itself pushed to each branch of its remote, as far as git's log of the branch says it: at most ${MAX_LISTED_PUSHES}.`,
    }),
    base_is_ancestor: z.boolean().meta({
      description:
        "Whether `base_commit` is an ancestor of HEAD, which it is not after the history was rewritten.",
    }),
    commit_count: z.int(),
    commits: z.array(commit).meta({
      description: `The commits of HEAD that \`base_commit\` does not include, newest first: at most ${MAX_LISTED_COMMITS} of \`commit_count\`.`,
    }),
    file_count: z.int(),
    files: z.array(changedFile).meta({
      description: `The differences between \`base_commit\` and the current files, ordered by path: at most ${MAX_LISTED_FILES.toLocaleString("en")} of \`file_count\`.`,
    }),
  })
  .meta({ id: "RepositoryChanges" });
export type RepositoryChangesOf = z.output<typeof repositoryChanges>;

export const sessionChanges = z
  .strictObject({
    type: z.literal("session_changes"),
    session_id: idOf("session"),
    repositories: z
      .array(repositoryChanges)
      .meta({ description: "In the order of the session's resources." }),
  })
  .meta({ id: "SessionChanges" });
export type SessionChanges = z.output<typeof sessionChanges>;

export const repositoryDiff = z
  .strictObject({
    type: z.literal("repository_diff"),
    resource_id: idOf("session_resource"),
    path: z.string().nullable(),
    diff: z.string().meta({ description: "Unified diff, as git writes it. Empty when nothing differs." }),
    truncated: z
      .boolean()
      .meta({ description: `Whether it was cut after ${MAX_DIFF_BYTES.toLocaleString("en")} bytes.` }),
    large_files: z.array(z.string()).meta({
      description: `Paths of changed files that were not compared, since they have more than ${MAX_COMPARED_FILE_BYTES.toLocaleString("en")} bytes or are the largest of many: the diff shows them as binary. At most 100.`,
    }),
  })
  .meta({ id: "RepositoryDiff" });
export type RepositoryDiff = z.output<typeof repositoryDiff>;

const repositoryPath = z
  .string()
  .min(1)
  .max(4095)
  .refine((path) => !path.includes("\0") && path.isWellFormed(), {
    error: "Field '{field}' must not contain a NUL character or a lone surrogate.",
  })
  .meta({
    description:
      "A file's `path`, relative to the repository; for a renamed file the new path. Default: all changed files.",
  });

export const changesRoutes = {
  get: defineRoute(operations.changes.get, {
    params: z.strictObject({ session_id: z.string() }),
    response: sessionChanges,
  }),
  diff: defineRoute(operations.changes.diff, {
    params: z.strictObject({ session_id: z.string(), resource_id: z.string() }),
    query: z.strictObject({ path: repositoryPath.optional() }),
    response: repositoryDiff,
  }),
};
