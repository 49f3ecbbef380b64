import { CLONE_EXIT } from "./clone-script.ts";
import type { CloneErrorType, RepositoryMount } from "./repository/repository.ts";

export interface CloneFailure {
  type: CloneErrorType;
  /** One sentence that names the repository and the cause. It quotes nothing that the host sent, which may contain a token. */
  message: string;
}

type Cause = readonly [type: CloneErrorType, cause: string];

const DISK_FULL: Cause = ["repository_clone_error", "the session's disk is full"];

/** Patterns of git's messages; the first that matches decides. */
const RULES: readonly (readonly [pattern: RegExp, ...Cause])[] = [
  [/returned error: 403/, "repository_forbidden_error", "the token does not give access to it (403)"],
  [
    /Authentication failed|returned error: 401|could not read (Username|Password)|terminal prompts disabled/,
    "repository_authentication_error",
    "its host accepted no credential (401): the token is missing, wrong, expired or revoked",
  ],
  [
    /returned error: 404|^fatal: repository not found/m,
    "repository_not_found_error",
    "its host has no such repository, or not for this token (404)",
  ],
  [
    /Could not resolve host/,
    "repository_clone_error",
    "its host cannot be reached from the session: the name is unknown, or the environment does not allow it",
  ],
  [
    /returned error: 3\d\d|redirect/i,
    "repository_clone_error",
    "its host redirects to another address, which is not followed",
  ],
  // git does not report ENOSPC when it cannot finish a file; in a sandbox there is no other reason.
  [/No space left|Disk quota|unable to write file/, ...DISK_FULL],
  [
    /Operation too slow|Operation timed out/,
    "repository_clone_error",
    "its host sent next to nothing for too long",
  ],
  [
    /Failed to connect|Couldn't connect|Connection (refused|reset|timed out)|Empty reply|early EOF|hung up|unexpected disconnect|non-properly terminated|recv error|send error/,
    "repository_clone_error",
    "the connection to its host failed",
  ],
  [
    /certificate|SSL|TLS/i,
    "repository_clone_error",
    "the TLS connection to its host failed; a host with an own authority needs its ca_file",
  ],
];

/** Explains why a clone failed, by its exit code and output. */
export function cloneFailure(
  repository: RepositoryMount,
  exitCode: number | null,
  output: string,
): CloneFailure {
  const [type, cause] = causeByExit(repository, exitCode, output) ?? causeByOutput(repository, output);
  return { type, message: `${repository.url} could not be cloned to ${repository.mountPath}: ${cause}.` };
}

function causeByExit({ checkout }: RepositoryMount, exitCode: number | null, output: string): Cause | null {
  switch (exitCode) {
    case CLONE_EXIT.occupied:
      return ["repository_clone_error", "something else is at that path"];
    case CLONE_EXIT.unwritable:
      if (output.includes("No space left")) return DISK_FULL;
      return ["repository_clone_error", "no directory can be made at that path"];
    case CLONE_EXIT.branchMissing:
      return branchMissing(checkout);
    case CLONE_EXIT.commitMissing:
      return [
        "repository_checkout_error",
        `it has no commit ${checkout?.type === "commit" ? checkout.sha : ""}`,
      ];
    default:
      return null;
  }
}

function branchMissing(checkout: RepositoryMount["checkout"]): Cause {
  return [
    "repository_checkout_error",
    `it has no branch '${checkout?.type === "branch" ? checkout.name : ""}'`,
  ];
}

function causeByOutput(repository: RepositoryMount, output: string): Cause {
  const messages = gitMessages(repository, output);
  if (/^fatal: Remote branch .* not found/m.test(messages)) return branchMissing(repository.checkout);
  const rule = RULES.find(([pattern]) => pattern.test(messages));
  if (rule !== undefined) return [rule[1], rule[2]];
  const last = messages.split("\n").at(-1)?.slice(0, 300).replace(/\.$/, "");
  return ["repository_clone_error", last || "git ended without a word"];
}

/**
 * git's own error messages, one per line. Leaves out what the host sent (`remote:` lines, and everything from the first message that
 * quotes the host) and the repository's URL, whose name may match a pattern.
 */
function gitMessages({ url }: RepositoryMount, output: string): string {
  const errors = output.split(/[\r\n]+/).filter((line) => /^(fatal|error): /.test(line));
  const quote = errors.findIndex((line) =>
    /remote error|\bgot '|invalid server response|bad line length|expected flush|expected response end/.test(
      line,
    ),
  );
  const lines = quote < 0 ? errors : [...errors.slice(0, quote), "fatal: its host answered with an error"];
  return lines
    .map((line) => line.replaceAll(`'${url}/'`, "").replaceAll(`'${url}'`, ""))
    .map((line) => line.replace(/'.*$/, "").replace(/ +/g, " ").replace(/ :/, ":").trim())
    .join("\n");
}
