import type { Requirement } from "./requirement.ts";

/** Rules that apply to every resource type. */
export const conventions: readonly Requirement[] = [
  {
    id: "page-every-list",
    source: "seed 4.9",
    rule: "Every list of objects in the OpenAPI document has the envelope, the bounds and messages of limit, newest-first order and consecutive pages; lists with anchors reject two cursors at once and cursors of other lists.",
  },
  {
    id: "page-list-ends",
    source: "seed 4.9",
    rule: "An empty list, and a list after an anchor at its end, has no data, no cursor, no ids, and has_more false.",
  },
  {
    id: "reference-unknown",
    source: "seed 7.2",
    rule: "A well-formed id in a body that names no object is rejected with 404 not_found_error and the id in the message, whatever follows the prefix; a value without the prefix with 400 and param.",
  },
  {
    id: "response-safe",
    source: "api 2",
    rule: "Every JSON response, errors included, has x-content-type-options: nosniff; one that may hold a secret (a new token, environment variables) also has cache-control: no-store, as the document says.",
  },
  {
    id: "expect-continue",
    source: "api 2, seed 8",
    rule: "A request with Expect: 100-continue whose body is over the limit, or that is not allowed, receives its error before the body is sent, and the connection is closed; otherwise the body is asked for.",
  },
  {
    id: "metrics-token",
    source: "api 2",
    rule: "The metrics need a token with the scope metrics:read, except for requests from the machine itself that no proxy forwarded, or with BERTH_METRICS_PUBLIC=yes.",
  },
  {
    id: "session-log-lines",
    source: "api 2",
    rule: "The log has one line for each turn when it has ended: outcome, milliseconds, model, tool calls and tokens; one when a sandbox was opened (on a new disk or on its own) or has closed, a disk was reclaimed, a repository snapshot was used, or the session has an error; at debug one for each tool call. Each names the session and, as soon as it is known, its organization, and has nothing of what was said or done. A repository snapshot that is built or deleted has a line, too.",
  },
  {
    id: "metrics-sessions",
    source: "api 2",
    rule: "/metrics has what sessions do in the process that runs them: turns by outcome, model requests, time to the first token, tokens and cost by model, tool calls by tool, opened sandboxes, repository snapshots used and missed, errors, reclaimed disks and denied connections, slots for turns and waits for them, lost leases, and what is due; the database and its connections, the disk of the data directory; and the processes themselves. No name that a user or a model chooses is a label: models that are not listed share one. Without an answer of that process, or of the database, it has the rest, and berth_runner_up or berth_database_up is 0. BERTH_METRICS_ADDRESS gives it an address of its own, and it is nowhere else then.",
  },
  {
    id: "access-log",
    source: "api 2",
    rule: "The log has one line for each request when its response has ended, streams included: operation, status, milliseconds, request id, user or service account, organization, session, client address and how it ended, and nothing else of the request; every request id that an error response shows is in it. Health checks and metrics are there at debug; BERTH_ACCESS_LOG=off turns the lines off.",
  },
  {
    id: "id-out-of-range",
    source: "seed 4.9",
    rule: "An anchor or filter that has the characters of an id and encodes a number outside the range of ids is rejected with 400 and param.",
  },
  {
    id: "noun-metadata",
    source: "api 2",
    rule: "Every resource type with metadata patches it by key, null removes a pair or all of them, and the limits are 16 pairs, 64 characters for a key and 512 for a value.",
  },
  {
    id: "noun-archive",
    source: "seed 5",
    rule: "Archiving is permanent for every resource type that has it: archiving again changes nothing, the object can be read, an update is rejected with 403 permission_error, and lists contain it only on request.",
  },
  {
    id: "noun-delete",
    source: "api 2",
    rule: "For every resource type with delete, it returns the id and the type with _deleted, and the object is then 404 and in no list.",
  },
  {
    id: "service-stop",
    source: "api 6",
    rule: "SIGTERM ends the service also while the sender of a content stalls, and while the root filesystem, a layer of an environment or a snapshot of a repository is built: no process or mount is left, nothing that is half made is used, and the upload continues later from the bytes that were counted.",
  },
];
