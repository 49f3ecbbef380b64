import {
  type BetaFeature,
  MAX_AGENT_BYTES,
  MAX_CONFIRMATION_RULES,
  MAX_MEMORIES,
  MAX_PENDING_FILES,
  MAX_SESSION_PREVIEWS,
  MAX_TRIGGERS,
  MAX_WEBHOOKS,
  type ValidationError,
} from "@berth/contract";
import {
  ApiError,
  about,
  conflict,
  forbidden,
  notFound,
  resourceConflict,
  unauthenticated,
  unread,
} from "./api-error.ts";

/** The longest wait after which clients should repeat a request by themselves. */
const SHORT_WAIT_SECONDS = 60;
const LIST = new Intl.ListFormat("en", { type: "conjunction" });

/** What each scope of a budget is. */
const BUDGETS = {
  session: "The budget of the session",
  user: "The spend limit of the session's user",
  user_day: "Today's spend limit of the session's user",
  organization: "The spend limit of the organization",
  organization_day: "Today's spend limit of the organization",
};

/** Every error that the API returns, with its status, type, message and param. */
export const errors = {
  // Requests
  invalid: (message: string, param?: string) => new ApiError("invalid_request_error", { message, param }),
  fault: ({ message, param }: ValidationError) =>
    new ApiError("invalid_request_error", { message, param: param ?? undefined }),
  modelNotAvailable: (id: string, param: string) =>
    errors.invalid(`Model '${id}' is not available. 'berth models list' shows the available models.`, param),
  featureNotAvailable: (feature: BetaFeature) =>
    new ApiError("feature_not_available", {
      message: `The feature '${feature}' is not activated.`,
      feature,
      headers: { "x-should-retry": "false" },
    }),
  mountTaken: (param: string, other: string) =>
    errors.invalid(`Field '${param}' overlaps with the mount path '${other}' of another resource.`, param),
  notRotatable: () =>
    errors.invalid("Only repositories have a token or password that can be rotated.", "resource_id"),
  connectionRotates: () =>
    errors.invalid(
      "The repository gets its tokens from its connection. Rotate the secret of the connection.",
      "resource_id",
    ),
  mountInGit: (param: string) =>
    errors.invalid(`Field '${param}' must not be in the directory '.git' of a repository.`, param),
  notRetryable: (type: string) =>
    errors.invalid(
      `Only the clone of a repository can be tried again. This resource is of type '${type}'.`,
      "resource_id",
    ),
  cloneNotFailed: (id: string) => conflict(`The clone of resource '${id}' has not failed.`, "retry"),
  hostNotServed: (param: string, host: string, served: readonly string[]) =>
    errors.invalid(
      `Field '${param}' has the host '${host}', which this installation does not serve. It serves ${served.join(", ")}. For other hosts, use a 'git_repository'.`,
      param,
    ),
  httpNotAllowed: (param: string, host: string) =>
    errors.invalid(
      `Field '${param}' must be an https URL. This installation does not allow http for '${host}'.`,
      param,
    ),
  notRemovable: (type: string) =>
    errors.invalid(
      `Only a file can be removed from a session. This resource is of type '${type}'.`,
      "resource_id",
    ),
  wrongSecretField: (needed: string, given: string, type: string) =>
    errors.invalid(`A resource of type '${type}' takes the field '${needed}', not '${given}'.`, given),
  unknownPath: (method: string, path: string) =>
    notFound(`Unknown path: ${method.slice(0, 20)} ${path.slice(0, 200)}.`),
  badContentType: (...expected: string[]) =>
    errors.invalid(`The content type of the body must be '${expected.join("' or '")}'.`),
  unknownContentType: () => errors.invalid("The content type of the body is not supported."),
  encodedBody: () =>
    unread("The header 'Content-Encoding' is not supported. Send the body unencoded.", "content-encoding"),
  bodyTooLarge: (limit: number) => unread(`The body is larger than ${bytes(limit)}.`),
  contentTooLarge: (limit: number, param: string) =>
    errors.invalid(`A file can have at most ${bytes(limit)}.`, param),
  modelUnpriced: (id: string, param: string) =>
    errors.invalid(
      `The price of model '${id}' is not known, so nothing can be held to a budget or a spend limit. The operator can give it a 'price' in the models file.`,
      param,
    ),
  noBudget: () =>
    errors.invalid(
      "The session was created without a budget, or it was removed. It can get none later.",
      "budget",
    ),
  budgetTooLow: (cents: string) =>
    errors.invalid(
      `Field 'budget.max_list_cost.amount' must be more than '${cents}', the cents that the session has cost and that its requests in progress may cost.`,
      "budget.max_list_cost.amount",
    ),
  budgetReached: (scope: keyof typeof BUDGETS) =>
    errors.invalid(
      `${BUDGETS[scope]} has too little left for another request. Until it has more, the session takes only 'user.tool_confirmation', 'user.custom_tool_result' and 'user.interrupt'.`,
      "events",
    ),
  noSuchMcpServer: (name: string, param: string) =>
    errors.invalid(`The session's agent has no MCP server '${name.slice(0, 100)}'.`, param),
  badContentRange: (message: string) => errors.invalid(message, "content-range"),
  otherSize: (announced: number) =>
    unread(`The content must have ${announced} bytes, as the file's 'size_bytes' says.`),
  noImages: () =>
    errors.invalid(
      "Field 'image' is not available. The sandbox engine of this installation does not run container images.",
      "image",
    ),
  noRuntimeClasses: () =>
    errors.invalid(
      "Field 'runtime_class' is not available. The sandboxes of this installation are not pods of a Kubernetes cluster.",
      "runtime_class",
    ),
  otherRuntimeClass: (name: string, allowed: readonly string[]) =>
    errors.invalid(
      `Field 'runtime_class' is '${name}', which this installation does not allow. It allows ${allowed.join(", ") || "none"}.`,
      "runtime_class",
    ),
  aboveCeiling: (param: string, ceiling: number) =>
    errors.invalid(`Field '${param}' can be at most ${ceiling} on this installation.`, param),
  noRuntimes: () =>
    errors.invalid(
      "Field 'config.runtimes' needs sandboxes of bubblewrap or Docker. On this installation they are pods, whose image has the programs.",
      "config.runtimes",
    ),
  runtimeMissing: (param: string, asked: string, available: readonly string[]) =>
    errors.invalid(
      `Field '${param}' asks for ${asked}, which this installation does not have. It has ${LIST.format(available) || "none"}.`,
      param,
    ),
  agentTooLarge: (total: number, largest: { name: string; bytes: number }) =>
    errors.invalid(
      `The agent has ${total} bytes as JSON, and the maximum is ${MAX_AGENT_BYTES}. Its largest field, '${largest.name}', has ${largest.bytes} bytes.`,
      largest.name,
    ),
  bodyMissing: () => errors.invalid("The request requires a JSON body."),
  bodyCut: () => unread("The body ended early or was sent too slowly."),

  // Authentication
  noAuthorization: () => unauthenticated("The header 'Authorization: Bearer <token>' is missing."),
  apiKeyHeader: () =>
    unauthenticated(
      "The header 'x-api-key' is not supported. Send the token as 'Authorization: Bearer <token>'.",
    ),
  severalAuthorizations: () => unauthenticated("The header 'Authorization' is given more than once."),
  wrongScheme: () => unauthenticated("The scheme of the header 'Authorization' must be 'Bearer'."),
  malformedToken: () => unauthenticated("The token is malformed."),
  unknownToken: () => unauthenticated("The token is unknown."),
  expiredToken: () => unauthenticated("The token has expired."),
  revokedToken: () => unauthenticated("The token was revoked."),
  disabledPrincipal: (kind: string) =>
    unauthenticated(`The ${kind.replaceAll("_", " ")} of this token is disabled.`),
  userTokensOnly: () =>
    unauthenticated("This operation requires a user's token. The given token is a service account's."),

  // Sign-ins to the console
  signInEnded: () => unauthenticated("The sign-in to the console has ended. Sign in again."),
  unknownHost: (host: string) =>
    forbidden(
      `The console is not served as '${host.slice(0, 200)}'. Open it at the service's address, or set BERTH_PUBLIC_URL to the URL of the service.`,
    ),
  foreignOrigin: (own: string) =>
    forbidden(`This request comes from another site. The console's site is ${own}.`),
  signInReadable: (own: string) =>
    forbidden(
      `${own} is not encrypted, so others on the network could read the sign-in. Serve the console by https, or open it on the service's machine.`,
    ),
  linkUnknown: () =>
    new ApiError("invalid_request_error", {
      message:
        "The link has expired, was already used, or belongs to a token that is no longer valid. Create another one.",
      param: "code",
      code: "invalid_grant",
    }),
  linksByTokens: () =>
    forbidden("A sign-in to the console cannot create links to the console. Create the link with a token."),
  tooManySignIns: (whose: string, most: number) =>
    errors.overLimit(whose, `${most} sign-ins through the identity provider at once`, null, "sign_ins"),
  providerUnavailable: (issuer: string, reason: string) =>
    new ApiError("api_error", {
      message: `The identity provider ${issuer} cannot be used: ${reason}.`,
      status: 502,
    }),
  providerRefused: (code: string) => forbidden(`The identity provider refused the sign-in: ${code}.`),
  answerRejected: (reason: string) =>
    errors.invalid(`The identity provider's response is invalid: ${reason}.`),
  answerForeign: () =>
    errors.invalid("This response of the identity provider is for another browser. Sign in again."),
  answerLate: () =>
    errors.invalid(
      "This response of the identity provider came too late or was already used. Sign in again.",
    ),
  notMapped: (claim: string) =>
    forbidden(
      `Your claim '${claim}' has no value that belongs to an organization of this installation. Ask the operator.`,
    ),
  emailMissing: () =>
    forbidden("The identity provider gave no email address for you, or has not verified it."),
  otherOrganization: (name: string) =>
    forbidden(
      `The identity provider assigns you to the organization '${name}', but you belong to another organization here.`,
    ),
  otherAccount: () =>
    forbidden("Your email address already belongs to another account of the identity provider."),
  consoleOff: () => notFound("The console of this installation is turned off."),

  // Limits
  /**
   * Rejects a request that is over a limit. Clients should repeat it by themselves when the wait is short.
   * @param seconds Seconds after which the same request may succeed; null when waiting does not help.
   * @param name Name of the limit, for the log.
   */
  spendLimitReached: (kind: string, cents: number, name: string) =>
    new ApiError("conflict_error", {
      message: `The ${kind.replace("_", " ")}'s spend limit of ${(cents / 100).toFixed(2)} US dollars${name.endsWith("_per_day") ? " a day" : ""} is reached.`,
      limit: name,
    }),
  overLimit: (whose: string, limit: string, seconds: number | null, name: string) =>
    new ApiError("rate_limit_error", {
      message: `The ${whose} limit of ${limit} is reached.`,
      limit: name,
      headers:
        seconds === null
          ? {}
          : { "retry-after": `${seconds}`, "x-should-retry": `${seconds <= SHORT_WAIT_SECONDS}` },
    }),

  /** Rejects a request whose body is not read to its end, and closes the connection. */
  tooManyBodies: () =>
    new ApiError("rate_limit_error", {
      message: "Too many requests without a token are in progress. Send this one again.",
      limit: "open_bodies",
      headers: { "retry-after": "1", "x-should-retry": "true", connection: "close" },
    }),

  /**
   * Rejects a login, which needs no token. It names no wait, since waiting for a free slot is not worthwhile.
   */
  tooManyLogins: (whose: string, most: number) =>
    errors.overLimit(whose, `${most} logins waiting for approval`, null, "logins"),

  // Tokens that a user approves elsewhere
  authorizationPending: () =>
    new ApiError("conflict_error", {
      message: "Nobody has approved or denied the login yet.",
      code: "authorization_pending",
    }),
  slowDown: (seconds: number) =>
    new ApiError("rate_limit_error", {
      message: `The poll came too early. From now on, wait ${seconds} seconds between two polls.`,
      code: "slow_down",
    }),
  deviceDenied: () =>
    new ApiError("permission_error", { message: "The login was denied.", code: "access_denied" }),
  deviceExpired: () =>
    new ApiError("invalid_request_error", {
      message: "The code has expired. Ask for another one.",
      param: "device_code",
      code: "expired_token",
    }),
  deviceUnknown: () =>
    new ApiError("invalid_request_error", {
      message: "Field 'device_code' is unknown, or its token was already issued.",
      param: "device_code",
      code: "invalid_grant",
    }),
  userCodeUnknown: () =>
    notFound("No login waits for this code. The code may be mistyped, expired or already used.", "user_code"),
  scopeNotAsked: (scope: string) =>
    errors.invalid(`Field 'scopes' has '${scope}', which the login did not request.`, "scopes"),

  // Permission
  scopeMissing: (scope: string) => forbidden(`The token does not have the scope '${scope}'.`),
  operatorsOnly: () =>
    forbidden("The token does not have the scope 'operator'. Only operator tokens have it."),
  operatorErases: () =>
    forbidden("Only the operator can erase an organization. An admin can erase users of it."),
  operatorElsewhere: () =>
    forbidden(
      "An operator token is accepted only under '/api/v1/admin'. Use the token of a user or a service account.",
    ),
  scimTokensOnly: () =>
    forbidden(
      "The token does not have the scope 'scim'. 'berth admin tokens create --scopes scim' creates one.",
    ),
  scimElsewhere: () => forbidden("A token with the scope 'scim' is accepted only under '/scim/v2'."),
  notYours: (noun: string, id: string, owner: string | null = null) =>
    forbidden(
      `The token has no access to ${noun} '${id}'.${owner === null ? "" : ` Ask its owner, ${owner}, to share it.`}`,
    ),
  notYoursToChange: (noun: string, id: string, owner: string | null) =>
    forbidden(
      `The token may read ${noun} '${id}', but not do this with it.${owner === null ? "" : ` Its owner is ${owner}.`}`,
    ),
  scopesTooWide: (scope: string) =>
    forbidden(
      `The new token cannot have the scope '${scope}', because the token that creates it does not have it.`,
    ),
  expiresTooLate: (latest: Date) =>
    errors.invalid(
      `Field 'expires_at' must not be later than ${latest.toISOString()}, the latest time that this token allows for the tokens that it creates.`,
      "expires_at",
    ),
  adminsOnly: (what: string) => forbidden(`Only an admin of the organization can ${what}.`),
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
    conflict(`${capitalized(article(noun))} named '${name.slice(0, 256)}' already exists.`, "name"),
  beingErased: () => conflict("The user or the organization is being erased."),
  lastAdmin: (email: string) =>
    conflict(`'${email}' is the only admin of the organization. Make another user an admin first.`),
  versionNotNewest: (given: number, newest: number) =>
    conflict(`The agent's newest version is ${newest}, not ${given}.`, "version"),
  inUse: (noun: string, id: string, sessions: string) =>
    conflict(`${capitalized(noun)} '${id}' is in use by ${sessions}.`),
  credentialTaken: (param: string) =>
    conflict(`The vault already has a credential with this '${param}'.`, param),
  vaultFull: (id: string, capacity: number) =>
    conflict(`Vault '${id}' already has ${capacity} credentials, which is the maximum.`),
  gitHostFailed: (message: string) => conflict(message),
  archived: (noun: string, id: string) => conflict(`${capitalized(noun)} '${id}' is archived.`),
  skillFileNotFound: (id: string, version: number, path: string) =>
    notFound(`Version ${version} of skill '${id}' has no file '${path.slice(0, 200)}'.`, "path"),
  skillNameDiffers: (given: string, name: string) =>
    errors.invalid(`The name in SKILL.md is '${given}', but the name of this skill is '${name}'.`),
  skillInUse: (id: string, by: string) => conflict(`Skill '${id}' is in use by ${by}.`),
  skillVersionInUse: (id: string, version: number, by: string) =>
    conflict(`Version ${version} of skill '${id}' is in use by ${by}.`),
  skillVersionOnly: (id: string, version: number) =>
    conflict(`Version ${version} is the only version of skill '${id}'. Delete the skill instead.`),
  agentSkillGone: (id: string, version: number | null) =>
    about(
      "skill",
      conflict(
        `The agent uses ${version === null ? "skill" : `version ${version} of skill`} '${id}', which was deleted.`,
      ),
    ),
  sessionTerminated: (id: string) => conflict(`Session '${id}' is terminated.`),
  sessionRunning: (id: string) => conflict(`Session '${id}' is running. Cancel it first.`),
  memoryPathTaken: (path: string, other: string) =>
    conflict(
      path === other
        ? `A memory at '${path}' already exists.`
        : `A memory cannot be stored at '${path}', because there is one at '${other}'.`,
      "path",
    ),
  memoryStoreFull: () =>
    conflict(`The memory store already has ${MAX_MEMORIES} memories, which is the maximum.`),
  memoryDiffers: (path: string, param: string) =>
    conflict(`The content of the memory at '${path}' does not have the expected hash.`, param),
  memoryVersionIsNewest: (id: string) =>
    conflict(
      `Memory version '${id}' is the newest version of an existing memory, which cannot be redacted. Change or delete the memory first.`,
    ),
  /** @param how what ended the wait, in the past tense, such as `was allowed by ada@example.com at …`. */
  callNotAwaited: (param?: string, how = "was already answered or interrupted") =>
    conflict(`The call does not await a reply. It ${how}.`, param),
  tooManyConfirmationRules: (id: string, param?: string) =>
    errors.invalid(
      `Session '${id}' already has ${MAX_CONFIRMATION_RULES} confirmation rules, which is the maximum. Revoke one first.`,
      param,
    ),
  sessionSetAside: (id: string) =>
    conflict(
      `Session '${id}' is set aside, because the process that ran it crashed or froze twice in a row. Release the session first.`,
    ),
  tooMuchWaits: () =>
    conflict(
      "16 MiB of messages already wait in this session. Send more after a turn has taken them, or discard them with an interrupt.",
    ),
  fileInUse: (id: string) =>
    conflict(`File '${id}' is in use. It is mounted in a session or referenced by a message.`),
  fileUnfit: (id: string, as: "image" | "document", mimeType: string, param: string) =>
    errors.invalid(
      `File '${id}' of type '${mimeType.slice(0, 100)}' cannot be used as ${article(as)}.`,
      param,
    ),
  fileTooLarge: (id: string, limit: number, param: string) =>
    errors.invalid(`File '${id}' is larger than ${bytes(limit)}.`, param),
  /** @param fault The end of a sentence. */
  fileFaulty: (id: string, fault: string, param: string) => errors.invalid(`File '${id}' ${fault}.`, param),
  fileNotPending: (id: string, status: string) =>
    conflict(`File '${id}' is ${status} and does not accept content.`),
  tooManyPending: () =>
    conflict(
      `${MAX_PENDING_FILES} files are pending, which is the maximum. Send their contents or delete some first.`,
    ),
  fileLost: (id: string) => conflict(`File '${id}' has failed. The content received so far was lost.`),
  fileReceiving: (id: string) =>
    new ApiError("conflict_error", {
      message: `Another request is sending the content of file '${id}'.`,
      headers: { "retry-after": "1", "x-should-retry": "true" },
    }),
  partMisplaced: (expected: number) =>
    conflict(`The next part of the content must begin at byte ${expected}.`, "content-range"),
  fileNotReady: (id: string, param?: string) => conflict(`File '${id}' is not ready.`, param),

  idempotencyKeyReused: () =>
    conflict("The 'Idempotency-Key' was already used for a different request.", "Idempotency-Key"),
  idempotencyKeyInUse: () =>
    new ApiError("conflict_error", {
      message: "The first request with this 'Idempotency-Key' is still in progress.",
      param: "Idempotency-Key",
      headers: { "retry-after": "1", "x-should-retry": "true" },
    }),

  // State conflicts, with the type of those when a resource is added to a session
  cannotAddTo: (id: string, state: "archived" | "terminated") =>
    resourceConflict(`Session '${id}' is ${state}. No resource can be added.`),
  addedFileNotReady: (id: string) => resourceConflict(`File '${id}' is not ready.`, "file_id"),
  fileMounted: (id: string) =>
    resourceConflict(`File '${id}' is already mounted in this session.`, "file_id"),

  // Webhooks
  tooManyWebhooks: () =>
    conflict(`The owner already has ${MAX_WEBHOOKS} webhooks, which is the maximum. Delete one first.`),
  noMailRelay: () =>
    conflict(
      "This installation sends no mail. Its operator can set BERTH_SMTP_URL and BERTH_SMTP_FROM.",
      "format",
    ),
  webhookDisabled: (id: string) => conflict(`Webhook '${id}' is disabled. Enable it first.`),
  signsNothing: (id: string, format: string) =>
    conflict(`Webhook '${id}' has the format '${format}', which signs nothing.`),
  privateAddress: (param: string, host: string) =>
    errors.invalid(
      `Field '${param}' has the address '${host}', which is not public. The operator can allow it in BERTH_EGRESS_ALLOW_PRIVATE.`,
      param,
    ),
  noSuchMember: (param: string, email: string) =>
    errors.invalid(
      `Field '${param}' has '${email.slice(0, 320)}', who is no member of the organization.`,
      param,
    ),

  // Triggers
  tooManyTriggers: () =>
    conflict(`The deployment already has ${MAX_TRIGGERS} triggers, which is the maximum. Delete one first.`),
  wrongSignature: () =>
    new ApiError("authentication_error", {
      message: "The address is not known, or the signature does not fit, or is older than five minutes.",
    }),
  deliveryTooLarge: (limit: number) =>
    new ApiError("invalid_request_error", {
      ...{ message: errors.bodyTooLarge(limit).message, status: 413 },
      headers: { connection: "close" },
    }),
  triggerLimit: (limit: string, seconds: number) =>
    new ApiError("rate_limit_error", {
      message: `The trigger's limit of ${limit} is reached.`,
      limit: "trigger_runs",
      headers: { "retry-after": `${seconds}` },
    }),

  // Previews of sessions' ports
  noPreviewAddresses: () =>
    errors.invalid(
      "This installation has no addresses for previews. Set BERTH_PREVIEW_URL to one with a wildcard, such as https://*.previews.example.com, or use the service at localhost.",
    ),
  tooManyPreviews: (id: string) =>
    conflict(
      `Session '${id}' already has ${MAX_SESSION_PREVIEWS} previews, which is the maximum. Delete one first.`,
    ),

  // Disks of sessions
  noDisk: (id: string, why: string) => conflict(`Session '${id}' has no disk: ${why}.`),
  pathOutside: (directories: readonly string[]) =>
    errors.invalid(
      `Field 'path' must be in one of ${directories.join(", ")}, or at the mount path of a resource.`,
      "path",
    ),
  pathNotFound: (path: string) =>
    notFound(`'${path.slice(0, 1_024)}' does not exist in the sandbox.`, "path"),
  pathUnfit: (path: string, code: keyof typeof UNFIT) =>
    new ApiError("invalid_request_error", {
      message: `'${path.slice(0, 1_024)}' ${UNFIT[code]}.`,
      param: "path",
      code,
    }),
  pathUnreadable: (path: string) =>
    conflict(`The sandbox's user has no permission to read '${path.slice(0, 1_024)}'.`, "path"),
  fileChanging: (path: string) =>
    new ApiError("conflict_error", {
      message: `'${path.slice(0, 1_024)}' changed while it was read. Try again.`,
      param: "path",
      headers: { "retry-after": "1", "x-should-retry": "true" },
    }),
  rangeTooLarge: (size: number, limit: number) =>
    errors.invalid(
      `The file has ${size} bytes, and a response can have at most ${bytes(limit)}. Request parts with the header 'Range'.`,
      "path",
    ),
  notARepository: (type: string) =>
    errors.invalid(`Only a repository has changes. This resource is of type '${type}'.`, "resource_id"),
  notInPlace: (id: string) => conflict(`The repository of resource '${id}' is not cloned.`),
  notComparable: (id: string) =>
    conflict(
      `The repository of resource '${id}' cannot be compared with the commit that was cloned. The list of its changes says why.`,
    ),
  notComparedInTime: (id: string, seconds: number) =>
    conflict(
      `git did not compare the repository of resource '${id}' within ${seconds} seconds, because too many or too large files are new or changed. Ask for the diff of one file, or name large files in .gitignore.`,
    ),
  sandboxFull: (id: string) =>
    conflict(`The sandbox of session '${id}' has too many processes to start one that reads its disk.`),
  tooManyReads: () =>
    new ApiError("rate_limit_error", {
      message: "Too many reads of this session's disk are already waiting.",
      headers: { "retry-after": "1", "x-should-retry": "true" },
    }),

  // Failures
  diskAway: (id: string) =>
    new ApiError("api_error", { message: `The machine with the disk of session '${id}' is offline.` }),
  notReadInTime: (id: string, seconds: number) =>
    new ApiError("api_error", {
      message: `The disk of session '${id}' was not read within ${seconds} seconds.`,
      headers: { "x-should-retry": "false" },
    }),
  sandboxUnreadable: (id: string) =>
    new ApiError("api_error", { message: `The disk of session '${id}' could not be read.` }),
  stopping: () => new ApiError("api_error", { message: "The service is stopping." }),
  internal: () => new ApiError("api_error", { message: "An internal error occurred." }),
  contentsUnavailable: () =>
    new ApiError("api_error", {
      message: "The service cannot reach its storage for file contents.",
      status: 503,
      headers: { "retry-after": "5", "x-should-retry": "true" },
    }),
  unavailable: () => new ApiError("api_error", { message: "The service cannot reach its database." }),
  runtimesNotListed: (runtime: string, fault: string) =>
    new ApiError("api_error", {
      message: `The versions of ${runtime} could not be listed: ${fault}. Try again.`,
      status: 503,
      headers: { "retry-after": "10", "x-should-retry": "true" },
    }),
};

/** Reasons why a path of a sandbox cannot be used, by the error's code. */
const UNFIT = {
  is_directory: "is a directory",
  not_a_directory: "is not a directory",
  not_a_file: "is not a regular file",
  symbolic_link: "is a symbolic link or leads through one, and links are not followed",
} as const;

function capitalized(noun: string): string {
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}

function article(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
}

function bytes(count: number): string {
  return count % 1_048_576 === 0 ? `${count / 1_048_576} MiB` : `${count} bytes`;
}
