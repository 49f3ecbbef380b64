import { type BetaFeature, MAX_MEMORIES, MAX_PENDING_FILES, type ValidationError } from "@berth/contract";
import {
  ApiError,
  conflict,
  forbidden,
  notFound,
  resourceConflict,
  unauthenticated,
  unread,
} from "./api-error.ts";

/** Every refusal that the service knows, with its status, type, message and param. */
export const errors = {
  // Requests
  invalid: (message: string, param?: string) => new ApiError("invalid_request_error", { message, param }),
  fault: ({ message, param }: ValidationError) =>
    new ApiError("invalid_request_error", { message, param: param ?? undefined }),
  notAvailable: (param: string) =>
    errors.invalid(`Field '${param}' is not available in this version of Berth.`, param),
  featureNotAvailable: (feature: BetaFeature) =>
    new ApiError("feature_not_available", {
      message: `The feature '${feature}' is not activated.`,
      feature,
      headers: { "x-should-retry": "false" },
    }),
  mountTaken: (param: string, other: string) =>
    errors.invalid(
      `Field '${param}' is equal to '${other}', in it, or around it, where another resource is.`,
      param,
    ),
  notRotatable: () =>
    errors.invalid("Only a repository has a token or a password that can be rotated.", "resource_id"),
  hostNotServed: (param: string, host: string, served: readonly string[]) =>
    errors.invalid(
      `Field '${param}' has the host '${host}'; this installation serves ${served.join(", ")}. Any other server is a 'git_repository'.`,
      param,
    ),
  httpNotAllowed: (param: string, host: string) =>
    errors.invalid(
      `Field '${param}' must be an https address: this installation does not allow http for '${host}'.`,
      param,
    ),
  notRemovable: (type: string) =>
    errors.invalid(
      `Only a file can be removed from a session: the resource is of type '${type}', which stays as long as the session.`,
      "resource_id",
    ),
  wrongSecretField: (needed: string, given: string, type: string) =>
    errors.invalid(`Field '${given}' must be '${needed}': the resource is of type '${type}'.`, given),
  unknownPath: (method: string, path: string) =>
    notFound(`There is no ${method.slice(0, 20)} ${path.slice(0, 200)}.`),
  badContentType: (...expected: string[]) =>
    errors.invalid(`The content type of the body must be '${expected.join("' or '")}'.`),
  unknownContentType: () => errors.invalid("The content type of the body is not one that is known here."),
  encodedBody: () =>
    unread("The body must come as it is: a 'Content-Encoding' is not undone here.", "content-encoding"),
  bodyTooLarge: (limit: number) => unread(`The body is larger than ${bytes(limit)}.`),
  contentTooLarge: (limit: number, param: string) =>
    errors.invalid(`A file can have at most ${bytes(limit)}.`, param),
  badContentRange: (message: string) => errors.invalid(message, "content-range"),
  otherSize: (announced: number) => unread(`The content must have ${announced} bytes, as was announced.`),
  noImages: () =>
    errors.invalid(
      "The sandboxes of this installation run no images: its engine is not a container engine.",
      "image",
    ),
  bodyMissing: () => errors.invalid("The request needs a JSON body."),
  bodyCut: () => unread("The body ended early or came too slowly."),

  // Authentication
  noAuthorization: () => unauthenticated("The header 'Authorization: Bearer <token>' is missing."),
  apiKeyHeader: () =>
    unauthenticated(
      "The header 'x-api-key' is not a credential here: send the token as 'Authorization: Bearer <token>'.",
    ),
  severalAuthorizations: () => unauthenticated("The header 'Authorization' is there more than once."),
  wrongScheme: () => unauthenticated("The scheme of the header 'Authorization' must be 'Bearer'."),
  malformedToken: () => unauthenticated("The token is malformed."),
  unknownToken: () => unauthenticated("The token is not known."),
  expiredToken: () => unauthenticated("The token has expired."),
  revokedToken: () => unauthenticated("The token was revoked."),
  disabledPrincipal: (kind: string) =>
    unauthenticated(`The ${kind.replaceAll("_", " ")} of this token is disabled.`),
  userTokensOnly: () => unauthenticated("The token is a service account's: this needs a user's."),

  // Permission
  scopeMissing: (scope: string) => forbidden(`The token lacks the scope '${scope}'.`),
  notYours: (noun: string, id: string) => forbidden(`The token has no access to ${noun} '${id}'.`),
  scopesTooWide: (scope: string) =>
    forbidden(`A token cannot be given the scope '${scope}', which the token that creates it lacks.`),
  adminsOnly: (what: string) => forbidden(`Only an organization's admin may ${what}.`),
  usersOnly: (what: string) => forbidden(`A service account cannot ${what}.`),
  locked: (noun: string, id: string) =>
    forbidden(`${capitalized(noun)} '${id}' is archived and cannot be changed.`),
  sessionArchived: (id: string) => forbidden(`Session '${id}' is archived and cannot be changed.`),

  // Existence
  notFound: (noun: string, id: string, param?: string) =>
    notFound(`${capitalized(noun)} '${id.slice(0, 100)}' does not exist.`, param),
  skillVersionNotFound: (id: string, version: string | number, param?: string) =>
    notFound(`Skill '${id}' has no version '${`${version}`.slice(0, 100)}'.`, param),
  agentVersionNotFound: (id: string, version: number, param: string) =>
    notFound(`Agent '${id}' has no version ${version}.`, param),

  // State
  nameTaken: (noun: string, name: string) =>
    conflict(`There is ${article(noun)} named '${name.slice(0, 256)}' already.`, "name"),
  versionNotNewest: (given: number, newest: number) =>
    conflict(`The agent's newest version is ${newest}, not ${given}.`, "version"),
  inUse: (noun: string, id: string, sessions: string) =>
    conflict(`${capitalized(noun)} '${id}' is used by ${sessions}.`),
  credentialTaken: (param: string) => conflict("The vault has a credential for this already.", param),
  vaultFull: (id: string, capacity: number) =>
    conflict(`Vault '${id}' holds ${capacity} credentials already.`),
  archived: (noun: string, id: string) => conflict(`${capitalized(noun)} '${id}' is archived.`),
  skillNameDiffers: (given: string, name: string) =>
    errors.invalid(`The name in SKILL.md is '${given}'; all versions of this skill have '${name}'.`),
  skillInUse: (id: string, by: string) => conflict(`Skill '${id}' is used by ${by}.`),
  skillVersionInUse: (id: string, version: number, by: string) =>
    conflict(`Version ${version} of skill '${id}' is used by ${by}.`),
  skillVersionOnly: (id: string, version: number) =>
    conflict(`Version ${version} is the only one of skill '${id}': delete the skill instead.`),
  agentSkillGone: (id: string, version: number | null) =>
    conflict(
      `${version === null ? "Skill" : `Version ${version} of skill`} '${id}', which the agent names, is deleted.`,
    ),
  sessionTerminated: (id: string) => conflict(`Session '${id}' is terminated.`),
  sessionRunning: (id: string) => conflict(`Session '${id}' is running: cancel it first.`),
  memoryPathTaken: (path: string, other: string) =>
    conflict(
      path === other
        ? `There is a memory at '${path}' already.`
        : `No memory can be at '${path}', since there is one at '${other}'.`,
      "path",
    ),
  memoryStoreFull: () => conflict(`The memory store holds ${MAX_MEMORIES} memories, which is the most.`),
  memoryDiffers: (path: string, param: string) =>
    conflict(`The content of the memory at '${path}' is not the one that was expected.`, param),
  memoryVersionIsNewest: (id: string) =>
    conflict(`Memory version '${id}' is the newest of a memory that is there.`),
  callAnswered: (param?: string) =>
    conflict("A call that is answered here does not wait any more: it was answered or interrupted.", param),
  fileInUse: (id: string) => conflict(`File '${id}' is mounted in a session, or a message of one names it.`),
  fileUnfit: (id: string, as: "image" | "document", mimeType: string, param: string) =>
    errors.invalid(`File '${id}', '${mimeType.slice(0, 100)}', cannot be shown as ${article(as)}.`, param),
  fileTooLarge: (id: string, limit: number, param: string) =>
    errors.invalid(`File '${id}' is larger than ${bytes(limit)}.`, param),
  fileNotPending: (id: string, status: string) => conflict(`File '${id}' is ${status}: it takes no content.`),
  tooManyPending: () =>
    conflict(
      `${MAX_PENDING_FILES} files are pending, which is the most: send their contents or delete some first.`,
    ),
  fileLost: (id: string) => conflict(`File '${id}' has failed: what had arrived of its content is lost.`),
  fileReceiving: (id: string) =>
    new ApiError("conflict_error", {
      message: `Another request is sending the content of file '${id}'.`,
      headers: { "retry-after": "1", "x-should-retry": "true" },
    }),
  partMisplaced: (expected: number) =>
    conflict(`The next part of the content begins at byte ${expected}.`, "content-range"),
  fileNotReady: (id: string, param?: string) => conflict(`File '${id}' is not ready.`, param),

  idempotencyKeyReused: () =>
    conflict("The 'Idempotency-Key' was used for another request.", "Idempotency-Key"),
  idempotencyKeyInUse: () =>
    new ApiError("conflict_error", {
      message: "The first request with this 'Idempotency-Key' is still under way.",
      param: "Idempotency-Key",
      headers: { "retry-after": "1", "x-should-retry": "true" },
    }),

  // State, as adding a resource to a session labels it
  cannotAddTo: (id: string, state: "archived" | "terminated") =>
    resourceConflict(`Session '${id}' is ${state}: no resource can be added.`),
  addedFileNotReady: (id: string) => resourceConflict(`File '${id}' is not ready.`, "file_id"),
  fileMounted: (id: string) =>
    resourceConflict(`File '${id}' is mounted in this session already.`, "file_id"),

  // Failures
  internal: () => new ApiError("api_error", { message: "An internal error occurred." }),
  unavailable: () =>
    new ApiError("api_error", { message: "The service cannot reach its database at the moment." }),
};

function capitalized(noun: string): string {
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}

function article(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
}

function bytes(count: number): string {
  return count % 1_048_576 === 0 ? `${count / 1_048_576} MiB` : `${count} bytes`;
}
