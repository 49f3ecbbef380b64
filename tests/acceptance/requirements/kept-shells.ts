import type { Requirement } from "./requirement.ts";

/** Rules for the parts of a session's container that survive a quiet time. */
export const keptShellRequirements: readonly Requirement[] = [
  {
    id: "tmp-stays",
    source: "seed 8",
    rule: "Files in /tmp and /var/tmp stay as long as the session's disk, also while its sandbox is closed, and count towards disk_mb.",
  },
  {
    id: "shell-kept",
    source: "seed 8",
    rule: "After a quiet time, or when the runner was killed, the shell has its working directory, exported variables, functions, aliases and options again; what did not come back is told once, also when a runner dies before it could tell.",
  },
  {
    id: "shell-kept-secrets",
    source: "seed 4",
    rule: "No token or other variable of Berth's own is kept with the shell: after a rotation the shell has the new one, and an exported copy is gone, which is told.",
  },
  {
    id: "processes-told",
    source: "seed 8",
    rule: "Which processes ended with the sandbox is told once with the next result, by command line, with secrets masked, also when a runner dies before that result; a background job is named by its command.",
  },
  {
    id: "keep-alive",
    source: "issue 29, 5",
    rule: "While processes run that commands left, the sandbox stays open for keep_alive_seconds of its environment after the last command, at most the operator's BERTH_MAX_KEEP_ALIVE_SECONDS; more is 400.",
  },
  {
    id: "processes-end",
    source: "issue 29, 5",
    rule: "Before a sandbox closes since its session rests, its processes get SIGTERM and ten seconds to end; what they write meanwhile is kept.",
  },
];
