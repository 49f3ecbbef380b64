import type { Requirement } from "./requirement.ts";

export const outputRequirements: readonly Requirement[] = [
  {
    id: "outputs-saved",
    source: "api 4",
    rule: "A file that the agent writes below /mnt/session/outputs becomes a File with the session's scope and owner, named by its path there, before the turn's session.status_idle is in the log.",
  },
  {
    id: "outputs-once",
    source: "api 4",
    rule: "An output that is unchanged since it was saved is not saved again; a changed one becomes a new File, and the older File remains. Of the Files of one session and name, current is true for the newest alone.",
  },
  {
    id: "outputs-names",
    source: "api 4",
    rule: "Links and special files below the outputs are not saved; invalid names are replaced, and that is reported.",
  },
  {
    id: "outputs-limits",
    source: "api 4",
    rule: "An output above the limits is omitted and reported once by a session.error of type outputs_error; the turn ends normally.",
  },
  {
    id: "outputs-archive",
    source: "api 4",
    rule: "Archiving a session saves its outputs before its disk is removed; terminating and deleting do not wait for outputs.",
  },
];
