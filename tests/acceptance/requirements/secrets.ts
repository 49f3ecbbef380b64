import type { Requirement } from "./requirement.ts";

export const secretRequirements: readonly Requirement[] = [
  {
    id: "secrets-nowhere",
    source: "api 4",
    rule: "No credential, of a hosted repository, of a generic one, of an MCP server, or of the API itself, is in an answer, an event, a frame of a stream, the service's output at its most talkative, a dump of the database, the arguments of any program that is started, or a repository's configuration.",
  },
  {
    id: "secrets-rewrap",
    source: "api 4",
    rule: "Secrets are encrypted at rest under a key file; berth secrets rewrap replaces the key of a stopped service, whose sessions go on with their credentials, and refuses with a reason while the service runs or when the key is another one.",
  },
];
