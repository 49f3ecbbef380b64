import { CLONE_EXIT } from "./clone-script.ts";
import { remoteFailed, remoteWords } from "./remote-words.ts";
import type { CloneErrorType, RepositoryMount } from "./repository/repository.ts";

export interface CloneFailure {
  type: CloneErrorType;
  /**
   * A sentence with the repository, the cause, and what its host said, without the secrets of the attempt.
   */
  message: string;
  /** Whether the same attempt may succeed later: a fault of the network, or a temporary one of the host. */
  transient: boolean;
}

type Cause = readonly [type: CloneErrorType, cause: string, duration?: "transient" | undefined];

const NO_GIT_SERVER: Cause = ["repository_clone_error", "the server at this URL is not a git server"];

const DISK_FULL: Cause = ["repository_clone_error", "the session's disk is full"];

/** Patterns of git's messages; the first match decides. `$1` is the first group of the pattern. */
const RULES: readonly (readonly [pattern: RegExp, ...Cause])[] = [
  [/returned error: 403/, "repository_forbidden_error", "the token does not give access to it (403)"],
  [
    /Authentication failed|returned error: 401|could not read (Username|Password)|terminal prompts disabled/,
    "repository_authentication_error",
    "its host accepted no credential (401): the token is missing, wrong, expired or revoked",
  ],
  [
    /returned error: (404|410)|^fatal: repository not found/m,
    "repository_not_found_error",
    "its host has no such repository, or not for this token (404)",
  ],
  [/ not valid: .*is this a git repository/, ...NO_GIT_SERVER],
  [
    /returned error: 429/,
    "repository_clone_error",
    "its host limits the rate of requests (429)",
    "transient",
  ],
  [
    /(?:returned error:|HTTP) (408|425|5\d\d)/,
    "repository_clone_error",
    "its host is temporarily unable to serve it ($1)",
    "transient",
  ],
  [
    /Resolving timed out|Temporary failure in name resolution|Timeout while contacting DNS|Could not contact DNS/,
    "repository_clone_error",
    "the name of its host cannot be resolved at the moment",
    "transient",
  ],
  // In a sandbox every name that the environment allows resolves, so this one is not allowed.
  [
    /Could not resolve host/,
    "repository_clone_error",
    "its host cannot be reached from the session: the name is unknown, or the environment does not allow it",
  ],
  [
    /returned error: 3\d\d|redirect/i,
    "repository_clone_error",
    "its host redirects to another address, and redirects are not followed",
  ],
  // git does not report ENOSPC when it cannot finish a file; in a sandbox there is no other reason.
  [/No space left|Disk quota|unable to write file/, ...DISK_FULL],
  [
    /died of signal|out of memory/i,
    "repository_clone_error",
    "git was stopped; the session's memory may be full",
  ],
  [
    /too slow|timed out|timeout/i,
    "repository_clone_error",
    "its host sent almost no data for too long",
    "transient",
  ],
  [
    /verification failed|certificate (problem|verif|has|is)|subject name|unable to get local issuer|self[- ]signed/i,
    "repository_clone_error",
    "the TLS connection to its host failed; a host with a private certificate authority needs its ca_file",
  ],
  // Each TLS library has its own words for a connection that ends early.
  [
    /Failed to connect|Couldn't connect|Connection (refused|reset|closed|was reset|died)|refused|unreachable|No route to host|Empty reply|early EOF|unexpected eof|hung up|unexpected disconnect|non-properly terminated|(recv|receive|send|read|pull|push)(ing)? (error|failure|function)|(recv|receive|send) ?failure|SSL_ERROR_SYSCALL|SSL_(read|write)|close_notify|closed abruptly|not closed cleanly|HTTP\/?2|framing layer|transfer closed|outstanding read data|curl (7|16|18|28|35|52|55|56|92) |GOAWAY|broken pipe|bad pack header|invalid index-pack output/i,
    "repository_clone_error",
    "the connection to its host failed",
    "transient",
  ],
  [
    /^fatal: the answer is not of git$/m,
    "repository_clone_error",
    "its host responded with an error, or its response was cut off",
    "transient",
  ],
  [
    /certificate|SSL|TLS/i,
    "repository_clone_error",
    "the TLS connection to its host failed; a host with a private certificate authority needs its ca_file",
  ],
];

/**
 * Explains why a clone failed, by its exit code and output.
 *
 * @param secrets Strings that the host may repeat and that the message must not contain.
 */
export function cloneFailure(
  repository: RepositoryMount,
  exitCode: number | null,
  output: string,
  secrets: readonly string[] = [],
): CloneFailure {
  const [type, cause, duration] =
    causeByExit(repository, exitCode, output) ?? causeByOutput(repository, output);
  const message = `${repository.url} could not be cloned to ${repository.mountPath}: ${cause}.`;
  const words = remoteWords(output, secrets);
  return {
    type,
    message: words === null ? message : `${message} Its host says: "${words.replaceAll('"', "'")}"`,
    transient: duration === "transient",
  };
}

/** Returns the cause of a failed fetch of all branches and tags, as a clause, by git's output. */
export function fetchFault(url: string, output: string): string {
  return causeByOutput({ url, mountPath: "", checkout: null }, output)[1];
}

function causeByExit({ checkout }: RepositoryMount, exitCode: number | null, output: string): Cause | null {
  switch (exitCode) {
    case CLONE_EXIT.occupied:
      return ["repository_clone_error", "something else is at that path"];
    case CLONE_EXIT.unwritable:
      if (output.includes("No space left")) return DISK_FULL;
      return ["repository_clone_error", "no directory can be made at that path"];
    case CLONE_EXIT.noGitServer:
      return NO_GIT_SERVER;
    case CLONE_EXIT.lfsRefused:
      return [
        "repository_authentication_error",
        "its host's Git LFS server rejected the credential (401), which may be revoked or lack access to the files",
      ];
    case CLONE_EXIT.branchMissing:
      return branchMissing(checkout);
    case CLONE_EXIT.tagMissing:
      return [
        "repository_checkout_error",
        `it has no tag '${checkout?.type === "tag" ? checkout.name : ""}' of a commit`,
      ];
    case CLONE_EXIT.refMissing:
      return [
        "repository_checkout_error",
        `it has no ref '${checkout?.type === "ref" ? checkout.name : ""}' of a commit`,
      ];
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
  if (/^fatal: Remote branch .* not found/m.test(messages))
    return /^berth:no-git-server$/m.test(output) ? NO_GIT_SERVER : branchMissing(repository.checkout);
  if (remoteFailed(output)) return ["repository_clone_error", "its host could not serve it"];
  for (const [pattern, type, cause, duration] of RULES) {
    const match = pattern.exec(messages);
    if (match !== null) return [type, cause.replace("$1", match[1] ?? ""), duration];
  }
  const last = messages.split("\n").at(-1)?.slice(0, 300).replace(/\.$/, "");
  return ["repository_clone_error", last || "git ended without a message"];
}

const QUOTES =
  /remote error|\bgot '|invalid server response|bad line length|expected flush|expected response end/;
/** Replaces a message that quotes a response which is not from git: it was cut off, or came from a proxy. */
const NOT_GIT = "fatal: the answer is not of git";

/**
 * Returns git's own error messages, one per line. Leaves out what the host sent: `remote:` lines, and
 * everything from the first message that quotes the host. Also leaves out the repository's URL, which may
 * match a pattern.
 */
function gitMessages({ url }: RepositoryMount, output: string): string {
  const errors = output.split(/[\r\n]+/).filter((line) => /^(fatal|error): /.test(line));
  const quote = errors.findIndex((line) => QUOTES.test(line));
  const end = /remote error/.test(errors[quote] ?? "") ? "fatal: its host answered with an error" : NOT_GIT;
  const lines = quote < 0 ? errors : [...errors.slice(0, quote), end];
  return lines
    .map((line) => line.replaceAll(`'${url}/'`, "").replaceAll(`'${url}'`, ""))
    .map((line) => line.replace(/'.*$/, "").replace(/ +/g, " ").replace(/ :/, ":").trim())
    .join("\n");
}
