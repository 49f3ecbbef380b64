import type { Requirement } from "./requirement.ts";

export const gitLfsRequirements: readonly Requirement[] = [
  {
    id: "lfs-files",
    source: "api 4",
    rule: "In a clone, and in a repository snapshot, files of Git LFS have their contents, fetched with the repository's own credential, whether that is in the container or outside; a server that is unavailable for a moment is asked again; the agent changes and pushes them with git alone.",
  },
  {
    id: "lfs-missing",
    source: "api 4",
    rule: "Files of Git LFS whose server is not at the repository's host, or does not give them, stay pointers: the session.resource_ready event has a note, the agent is told it, and no request for a clone goes to the other server.",
  },
  {
    id: "lfs-refused",
    source: "api 4",
    rule: "An LFS server that rejects the repository's credential ends the clone with a repository_authentication_error, after a bounded number of requests.",
  },
];
