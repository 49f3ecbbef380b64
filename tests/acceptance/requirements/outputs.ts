import type { Requirement } from "./requirement.ts";

export const outputRequirements: readonly Requirement[] = [
  {
    id: "outputs-saved",
    source: "api 4",
    rule: "What the agent writes below /mnt/session/outputs is a File of that session's scope and owner, named by its path there, before the turn's session.status_idle is in the log.",
  },
  {
    id: "outputs-once",
    source: "api 4",
    rule: "An output that is unchanged since it was saved is not saved again; a changed one is a new File, and the older one stays.",
  },
  {
    id: "outputs-names",
    source: "api 4",
    rule: "Links and special files below the outputs are not saved; names that cannot be kept are replaced, and that is told.",
  },
  {
    id: "outputs-limits",
    source: "api 4",
    rule: "An output above the limits is left out, which a session.error of type outputs_error tells once; the turn ends as it would have.",
  },
  {
    id: "outputs-archive",
    source: "api 4",
    rule: "Archiving a session saves its outputs before its disk goes; terminating and deleting do not wait for them.",
  },
];
