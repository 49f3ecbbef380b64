import { cloneExit } from "./clone-script.ts";
import type { CloneErrorType, RepositoryMount } from "./repository.ts";

export interface CloneFailure {
  type: CloneErrorType;
  /** One sentence that names the repository and the cause. */
  message: string;
}

type Rule = readonly [pattern: RegExp, type: CloneErrorType, cause: string];

/** By git's own words, in the order in which they are tried. */
const rules: readonly Rule[] = [
  [/returned error: 403/, "repository_forbidden_error", "the token does not give access to it (403)"],
  [
    /Authentication failed|returned error: 401|could not read (Username|Password)|terminal prompts disabled/,
    "repository_authentication_error",
    "its host accepted no credential (401): the token is missing, wrong, expired or revoked",
  ],
  [
    /returned error: 404|repository '[^']*' not found/,
    "repository_not_found_error",
    "its host has no such repository, or not for this token (404)",
  ],
  [/Could not resolve host/, "repository_clone_error", "its host cannot be reached from the session"],
  [
    /certificate|SSL|TLS/i,
    "repository_clone_error",
    "the TLS connection to its host failed; a host with an own authority needs its ca_file",
  ],
  [
    /returned error: 3\d\d|unable to update url base from redirection|redirect/i,
    "repository_clone_error",
    "its host redirects to another address, which is not followed",
  ],
  [/No space left|Disk quota/, "repository_clone_error", "the session's disk is full"],
  [
    /Failed to connect|Connection (refused|reset|timed out)|Empty reply|early EOF|hung up/,
    "repository_clone_error",
    "the connection to its host failed",
  ],
];

/** What a clone that ended with `exitCode` and this output failed of. */
export function cloneFailure(
  repository: RepositoryMount,
  exitCode: number | null,
  output: string,
): CloneFailure {
  const { type, cause } = causeOf(repository, exitCode, output);
  return { type, message: `${repository.url} could not be cloned to ${repository.mountPath}: ${cause}.` };
}

function causeOf(
  repository: RepositoryMount,
  exitCode: number | null,
  output: string,
): { type: CloneErrorType; cause: string } {
  const { checkout } = repository;
  const branch = checkout?.type === "branch" ? checkout.name : "";
  const commit = checkout?.type === "commit" ? checkout.sha : "";
  if (exitCode === cloneExit.occupied)
    return { type: "repository_clone_error", cause: "something else is at that path" };
  if (exitCode === cloneExit.commitMissing)
    return { type: "repository_checkout_error", cause: `it has no commit ${commit}` };
  if (exitCode === cloneExit.branchMissing || /Remote branch .* not found/.test(output)) {
    return { type: "repository_checkout_error", cause: `it has no branch '${branch}'` };
  }
  const rule = rules.find(([pattern]) => pattern.test(output));
  if (rule !== undefined) return { type: rule[1], cause: rule[2] };
  return { type: "repository_clone_error", cause: lastWords(output) };
}

function lastWords(output: string): string {
  const lines = output.split(/[\r\n]+/).filter((line) => /^(fatal|error|remote):/.test(line));
  return lines.at(-1)?.slice(0, 300).replace(/\.$/, "") ?? "git ended without a word";
}
