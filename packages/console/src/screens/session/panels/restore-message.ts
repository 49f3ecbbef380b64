import type { RepositoryChanges } from "@berth/sdk";

type File = RepositoryChanges["files"][number];

/** Returns the message that asks the agent to undo what it changed in a file since the repository was cloned. */
export function restoreMessage(
  { mount_path, base_commit }: Pick<RepositoryChanges, "mount_path" | "base_commit">,
  { path, old_path, status }: Pick<File, "path" | "old_path" | "status">,
): string {
  const file = place(mount_path, path);
  const commit =
    base_commit === null ? "The repository that was cloned" : `The commit ${base_commit}, which was cloned,`;
  const wanted =
    status === "added"
      ? `${commit} does not have it: delete it.`
      : old_path === null
        ? `Make it what it is in the commit ${base_commit}, which was cloned.`
        : `It was renamed: make ${place(mount_path, old_path)} what it is in the commit ${base_commit}, which was cloned, and delete the new file.`;
  return `Restore the file ${file}.\n\n${wanted} Change no other file, and rewrite no commit: if the change is committed, commit the restored file.`;
}

/** Returns a file's absolute path, quoted if it has control characters. */
function place(root: string, path: string): string {
  const whole = `${root}/${path}`;
  return /[\u0000-\u001f\u007f]/.test(whole) ? JSON.stringify(whole) : whole;
}
