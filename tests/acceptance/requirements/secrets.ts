import type { Requirement } from "./requirement.ts";

export const secretRequirements: readonly Requirement[] = [
  {
    id: "secrets-nowhere",
    source: "api 4",
    rule: "No credential of a hosted repository, a generic repository, an MCP server or the API itself is in a response, an event, a stream frame, the service's output at its most verbose level, a database dump, the arguments of any started program, or a repository's configuration.",
  },
  {
    id: "secrets-masked",
    source: "api 4",
    rule: "A repository's token that an agent prints, sends, names a host or a file after, or writes into a memory is masked or refused in every event, preview, memory, version and file name, also in other letters, folded, coloured, in hexadecimal, base64, UTF-16 or percent-encoded.",
  },
  {
    id: "secrets-rewrap",
    source: "api 4",
    rule: "Secrets are encrypted at rest with a key file; berth secrets rewrap replaces the key of a stopped service, whose sessions keep their credentials, and fails with a reason while a service of the database runs or when the key does not match.",
  },
  {
    id: "second-service-key",
    source: "api 4",
    rule: "A service whose secret key is not the one with which its database is used is rejected at its start, with one sentence that says so.",
  },
];
