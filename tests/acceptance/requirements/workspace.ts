import type { Requirement } from "./requirement.ts";

export const workspaceRequirements: readonly Requirement[] = [
  {
    id: "workspace-list",
    source: "api 4",
    rule: "The files of a session's sandbox are listed by directory, with name, path, type, size, mode and time, ordered by the bytes of their names and page by page. A cursor goes on after an entry that is gone, and in a directory of any size.",
  },
  {
    id: "workspace-content",
    source: "api 4",
    rule: "The content of a file in a session's sandbox is served with its detected type, as an attachment that no browser interprets, with ranges and a tag that changes with the file. A response has at most the size limit of uploads.",
  },
  {
    id: "workspace-links",
    source: "api 4",
    rule: "Links, pipes, sockets and devices in a sandbox are named and never followed or opened; a path leads through no link.",
  },
  {
    id: "workspace-paths",
    source: "api 4",
    rule: "A path that is not absolute, has empty, . or .. segments or is outside of the workspace is rejected with 400, one that does not exist with 404, one that is of another kind with 400, and one that the sandbox's user may not read with 409.",
  },
  {
    id: "workspace-names",
    source: "api 4",
    rule: "A name that is not UTF-8 is listed with replacement characters and without a path.",
  },
  {
    id: "workspace-changing",
    source: "api 4",
    rule: "A content is of one state of its file: when the file changes while it is sent, the response ends before its length.",
  },
  {
    id: "workspace-parked",
    source: "api 4",
    rule: "Looking at the disk of a session whose sandbox is closed opens the sandbox and starts no turn: the session stays idle, and the sandbox closes by the usual rule.",
  },
  {
    id: "workspace-running",
    source: "api 4",
    rule: "Looking at a session's disk does not wait for a command that runs in its sandbox.",
  },
  {
    id: "workspace-no-disk",
    source: "api 4",
    rule: "Without a disk there is nothing to look at, and none is made for it: 409 says whether there was none yet, it was reclaimed, or the session has ended.",
  },
  {
    id: "workspace-elsewhere",
    source: "api 4",
    rule: "Any service of a database answers for a disk of any machine of it, whose runner reads it.",
  },
  {
    id: "changes-repository",
    source: "api 4",
    rule: "For each repository of a session: branch, cloned commit, head, commits since with whether they were pushed, and files that differ from what was cloned, untracked ones included, with renames and counts of lines.",
  },
  {
    id: "changes-states",
    source: "api 4",
    rule: "An unborn or detached HEAD, a rewritten history, a submodule, and a repository that is not in place or is no clone any more are told, each in its repository alone.",
  },
  {
    id: "changes-diff",
    source: "api 4",
    rule: "The unified diff of a file or of a whole repository against what was cloned has at most 1,048,576 bytes, and tells when it was cut. The session's secrets are masked in it.",
  },
  {
    id: "changes-large",
    source: "api 4",
    rule: "A changed file of more than 8 MiB, or one of the largest where there are many, is binary in lists and diffs, large_files names it, and the rest is compared as ever, however large or sparse it is.",
  },
  {
    id: "changes-bounded",
    source: "api 4",
    rule: "Of a repository at most 250 commits and 1,000 files are listed, and all are counted.",
  },
  {
    id: "changes-hostile",
    source: "api 4",
    rule: "To tell what changed, no program runs that a repository or the agent's home names: no hook, filter, textconv, external diff, fsmonitor or helper.",
  },
];
