import type { Requirement } from "./requirement.ts";

export const filesInRepositories: readonly Requirement[] = [
  {
    id: "file-in-repo",
    source: "api 4",
    rule: "A file can be mounted inside a repository, given with it or added later, in either order: it is put there after the clone, also over a snapshot and after the disk was reclaimed, and git ignores it.",
  },
  {
    id: "file-in-repo-tracked",
    source: "api 4",
    rule: "A file does not replace what the repository tracks at its path: a session.error names the path, and the repository is unchanged.",
  },
  {
    id: "file-in-repo-failed",
    source: "api 4",
    rule: "A file in a repository whose clone failed is put there when the clone succeeds later.",
  },
  {
    id: "file-in-repo-removed",
    source: "api 4",
    rule: "A file that is removed from a repository is gone from the clone, and git lists its path again.",
  },
  {
    id: "file-in-repo-paths",
    source: "api 4",
    rule: "A file at a repository's own path, around it, or in its .git is rejected with 400 and param.",
  },
];
