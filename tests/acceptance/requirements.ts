import { administrationRequirements } from "./requirements/administration.ts";
import { auditRequirements } from "./requirements/audit.ts";
import { backupRequirements } from "./requirements/backups.ts";
import { budgetRequirements } from "./requirements/budgets.ts";
import { confirmationRequirements } from "./requirements/confirmations.ts";
import { connectionRequirements } from "./requirements/connections.ts";
import { consoleRequirements } from "./requirements/console.ts";
import { consoleSignInRequirements } from "./requirements/console-sign-in.ts";
import { containerEngineRequirements } from "./requirements/container-engine.ts";
import { s3Requirements } from "./requirements/contents-in-s3.ts";
import { conventions } from "./requirements/conventions.ts";
import { dataProtectionRequirements } from "./requirements/data-protection.ts";
import { deploymentRequirements } from "./requirements/deployments.ts";
import { deskRequirements } from "./requirements/desk.ts";
import { deviceLoginRequirements } from "./requirements/device-login.ts";
import { environmentContents } from "./requirements/environment-contents.ts";
import { eventDeltaRequirements } from "./requirements/event-deltas.ts";
import { fileRemoval } from "./requirements/file-removal.ts";
import { filesInRepositories } from "./requirements/files-in-repositories.ts";
import { filterRequirements } from "./requirements/filters.ts";
import { followRequirements } from "./requirements/follow.ts";
import { forwardRequirements } from "./requirements/forward.ts";
import { gitIdentityRequirements } from "./requirements/git-identity.ts";
import { gitLfsRequirements } from "./requirements/git-lfs.ts";
import { gitRepositories } from "./requirements/git-repositories.ts";
import { homeRequirements } from "./requirements/homes.ts";
import { idempotencyRequirements } from "./requirements/idempotency.ts";
import { keptShellRequirements } from "./requirements/kept-shells.ts";
import { kubernetesRequirements } from "./requirements/kubernetes.ts";
import { limitRequirements } from "./requirements/limits.ts";
import { mcpRequirements } from "./requirements/mcp.ts";
import { memoryRequirements } from "./requirements/memory.ts";
import { messageContentRequirements } from "./requirements/message-content.ts";
import { modelFailureRequirements } from "./requirements/model-failures.ts";
import { networkingRequirements } from "./requirements/networking.ts";
import { outputRequirements } from "./requirements/outputs.ts";
import { previewRequirements } from "./requirements/previews.ts";
import { proxyCredentialRequirements } from "./requirements/proxy-credentials.ts";
import { pullRequestRequirements } from "./requirements/pull-requests.ts";
import { reclaimRequirements } from "./requirements/reclaim.ts";
import { referenceRequirements } from "./requirements/reference.ts";
import { repositoryRetries } from "./requirements/repository-retries.ts";
import { snapshotRequirements } from "./requirements/repository-snapshots.ts";
import type { Requirement } from "./requirements/requirement.ts";
import { roleRequirements } from "./requirements/roles.ts";
import { saveRequirements } from "./requirements/saves.ts";
import { scimRequirements } from "./requirements/scim.ts";
import { secretRequirements } from "./requirements/secrets.ts";
import { serviceManagerRequirements } from "./requirements/service-manager.ts";
import { sharingRequirements } from "./requirements/sharing.ts";
import { skillRequirements } from "./requirements/skills.ts";
import { tlsRequirements } from "./requirements/tls.ts";
import { traceRequirements } from "./requirements/traces.ts";
import { triggerRequirements } from "./requirements/triggers.ts";
import { upgradeRequirements } from "./requirements/upgrades.ts";
import { uploadRequirements } from "./requirements/uploads.ts";
import { usageRequirements } from "./requirements/usage.ts";
import { vaultRequirements } from "./requirements/vaults.ts";
import { webhookRequirements } from "./requirements/webhooks.ts";
import { workspaceRequirements } from "./requirements/workspace.ts";

/** All requirements. Larger subjects have a file in `requirements/`. */
export const REQUIREMENTS: readonly Requirement[] = [
  // Repositories
  {
    id: "repo-kind",
    source: "seed 2.1",
    rule: "A repository is attached with type hosted_repository and a url of the form https://<repo_host>/<org>/<repo>; another form, or a host that the installation does not serve, is rejected with 400 naming the field.",
  },
  {
    id: "repo-url-form",
    source: "api 4",
    rule: "A repository's url is stored and returned in normal form: protocol and host in lower case, without a default port and slashes at the end, and without .git for a hosted repository.",
  },
  {
    id: "repo-default-mount",
    source: "seed 2.1",
    rule: "Without mount_path, a repository is cloned to a path derived from its name.",
  },
  { id: "repo-token-optional", source: "seed 2.1", rule: "authorization_token is optional." },
  {
    id: "repo-token-secret",
    source: "seed 2.1",
    rule: "No response contains authorization_token: neither session creation, session reads, resource reads nor token rotation.",
  },
  {
    id: "repo-several",
    source: "seed 2.1",
    rule: "One request may attach several repositories with different mount paths; equal or nested mount paths are rejected with 400.",
  },
  {
    id: "repo-shape",
    source: "seed 2.2",
    rule: "A repository resource has type, url in its normal form, mount_path as given or derived, checkout (null when not requested), created_at and updated_at.",
  },
  {
    id: "repo-checkout",
    source: "api 4",
    rule: "checkout is a branch or a tag by name, or a commit by hash and is returned as given; any other form is rejected with 400.",
  },
  {
    id: "repo-only-at-create",
    source: "seed 1",
    rule: "Repositories can be attached only when the session is created; adding one later is rejected with 400.",
  },
  {
    id: "repo-fixed",
    source: "seed 1",
    rule: "The url and the mount path of a mounted repository cannot be changed.",
  },
  {
    id: "repo-mounted",
    source: "seed 1",
    rule: "The repository is at its mount path when the first command runs, and the agent can read, edit, commit and push there.",
  },
  { id: "repo-full-clone", source: "seed 1", rule: "Clones contain the whole history." },
  {
    id: "repo-cli-token",
    source: "seed 1",
    rule: "The token variable of the provider's CLI contains the repository's token, so that the CLI needs no login.",
  },
  {
    id: "repo-401",
    source: "seed 1",
    rule: "With an expired or revoked token, git in the container receives 401.",
  },
  {
    id: "repo-rotation",
    source: "seed 2.1",
    rule: "A rotation request replaces the token, and the agent's next git command uses the new one.",
  },
  {
    id: "repo-clone-failure",
    source: "api 4",
    rule: "A failed clone is reported by a session.error of a repository type, and the session continues without the repository.",
  },
  { id: "workdir", source: "seed 1", rule: "The agent's commands run in /data." },
  { id: "clone-tools", source: "seed 1", rule: "The container has git and the provider's CLI." },

  // File resources
  {
    id: "file-mounted",
    source: "seed 1",
    rule: "An attached file is in the container at its mount path, by default /mnt/session/uploads/<file_id>, also when it is added to a running session.",
  },
  {
    id: "file-shape",
    source: "seed 2.3",
    rule: "A file resource has id (sesr_), type file, file_id, mount_path, created_at and updated_at.",
  },
  {
    id: "file-add",
    source: "seed 4.3",
    rule: "POST …/resources with a ready file returns 200 and the file resource; mount_path may be null or absent.",
  },
  {
    id: "file-add-type",
    source: "seed 4.3",
    rule: "A type other than file is rejected with 400 and the message Field 'type' must be 'file'.",
  },
  {
    id: "file-add-required",
    source: "seed 4.3",
    rule: "A missing file_id is rejected with 400 and the message Field 'file_id' is required.",
  },
  { id: "file-add-mount", source: "seed 4.3", rule: "An invalid mount path is rejected with 400." },
  {
    id: "file-add-404",
    source: "seed 4.3",
    rule: "An unknown session or file is rejected with 404; for a file, the message contains its id.",
  },
  {
    id: "file-add-409",
    source: "seed 4.3",
    rule: "Adding to an archived or terminated session, or a file that is already mounted there, is rejected with 409 of type invalid_request_error.",
  },

  // Sessions
  {
    id: "session-shape",
    source: "seed 2.4",
    rule: "Session creation returns 200 and the session with every documented field, status idle, empty defaults and counters of 0.",
  },
  {
    id: "session-agent",
    source: "seed 2.4",
    rule: "The session contains the resolved agent: model with id and effective_context_window, system, tools with enabled_tools, skills and version.",
  },
  {
    id: "session-agent-reference",
    source: "seed 4.1",
    rule: "agent is an object with id, type agent and an optional version, or only the id.",
  },
  {
    id: "session-create-faults",
    source: "api 4",
    rule: "A missing agent or environment is rejected with 400 and param; an unknown agent, environment or version is rejected with 404.",
  },
  { id: "session-metadata", source: "api 2", rule: "metadata holds up to 16 pairs of strings." },
  {
    id: "session-variables",
    source: "seed 2.4",
    rule: "environment_variables is an object, empty by default; every command has these variables, and reserved names are rejected with 400.",
  },
  {
    id: "session-list",
    source: "api 4",
    rule: "Sessions are listed newest first and can be filtered by agent, environment and status; archived sessions are listed only on request.",
  },
  {
    id: "session-archived-meanwhile",
    source: "api 4",
    rule: "Of sessions that are created while their agent or environment is archived, those that begin after it are rejected with 409 conflict_error; each other one exists, with its entry in the audit log, or is rejected so. Sessions of other agents and environments that are created at the same time are not affected.",
  },
  {
    id: "session-get",
    source: "seed 7.2",
    rule: "GET of a session returns it; an unknown id is rejected with 404 not_found_error.",
  },
  {
    id: "session-cancel",
    source: "api 4",
    rule: "Cancel ends a running turn, does not change an idle session, and is rejected with 409 on a terminated one.",
  },
  {
    id: "session-archive",
    source: "seed 3",
    rule: "An archived session has archived_at, can be read, and rejects events with 403. A turn that runs, waits for a client or has not begun ends as cancelled: each call has a result, and no user event is pending.",
  },
  {
    id: "session-terminate",
    source: "seed 3",
    rule: "A terminated session has status terminated; events, cancel and a second terminate are rejected with 409 conflict_error.",
  },
  {
    id: "session-update",
    source: "api 4",
    rule: "An update changes title and metadata: an omitted field is kept, null clears it, and metadata is patched by key; other fields are rejected with 400. The event log gets a session.updated.",
  },
  {
    id: "session-update-ended",
    source: "api 2",
    rule: "An update of an archived session is rejected with 403, of a terminated one with 409 conflict_error.",
  },
  {
    id: "session-delete",
    source: "api 4",
    rule: "Delete returns id and type session_deleted and removes the disk; afterwards the session is 404. A running session is not deleted: 409 conflict_error.",
  },
  {
    id: "session-delete-stream",
    source: "api 4",
    rule: "When a session is deleted, its open streams receive session.deleted and end.",
  },
  { id: "session-stats", source: "api 4", rule: "active_seconds and usage grow with the work done." },

  // Session resources
  {
    id: "resource-list",
    source: "seed 4.4",
    rule: "The resources of a session are listed with the common list envelope and rules.",
  },
  {
    id: "resource-get",
    source: "seed 4.5",
    rule: "A resource is read by its id; the message of a 404 says whether the session or the resource is missing.",
  },
  {
    id: "resource-rotate-kind",
    source: "api 4",
    rule: "Only repositories have credentials to rotate; rotating another kind of resource is rejected with 400.",
  },
  {
    id: "reference-404",
    source: "seed 7.1",
    rule: "A 404 for an id in a body names its field in param.",
  },
  {
    id: "mount-path-rules",
    source: "api 4",
    rule: "A mount path is absolute, at most 1024 bytes, without empty, dot or control segments, and outside the directories of the system and the platform; that of a repository is not below the directory of uploaded files, and has no directory .git.",
  },

  // Events
  {
    id: "event-send",
    source: "seed 4.2",
    rule: "A user.message with text parts is accepted and returned with its id and processed_at null.",
  },
  {
    id: "event-batch",
    source: "api 4",
    rule: "A request has one to fifty events, and all or none of them are accepted.",
  },
  {
    id: "event-kinds",
    source: "seed 6",
    rule: "An unknown event or content type is rejected with 400; for a type that is not available yet, the message says so.",
  },
  {
    id: "event-turn",
    source: "api 4",
    rule: "A message causes status_running, the agent's events, and status_idle with a stop reason.",
  },
  {
    id: "event-list",
    source: "api 4",
    rule: "The event log is listed in order, ascending by default, with pages and an optional filter by type.",
  },
  {
    id: "event-stream",
    source: "api 4",
    rule: "The stream sends frames with id, event and data, starts at the tail, and with from=start replays the whole log.",
  },
  {
    id: "event-resume",
    source: "api 4",
    rule: "Last-Event-ID or after_id resumes the stream without a gap or a duplicate; an unknown id is rejected with 400.",
  },
  {
    id: "event-interrupt",
    source: "api 4",
    rule: "user.interrupt ends the running command and the turn, with stop reason cancelled.",
  },
  { id: "event-initial", source: "api 4", rule: "initial_events start the session immediately." },

  // Agents and environments
  {
    id: "agent-name",
    source: "seed 4.8",
    rule: "An agent without a name is rejected with 400 and param name.",
  },
  { id: "agent-read", source: "seed 4.8", rule: "Agents can be listed and read by id." },
  {
    id: "dry-run",
    source: "design",
    rule: "With the header berth-dry-run, creating or updating an agent, an environment, a memory store or a vault is checked and answered, and changes nothing; any other operation that changes something rejects the header with 400.",
  },
  {
    id: "agent-default-model",
    source: "design",
    rule: "An agent that is created without a model gets the one that the models file marks as default, as does berth run; GET /models tells which it is, with window and list price. Without a default, model is required.",
  },
  {
    id: "agent-model",
    source: "api 4",
    rule: "model is provider/model or an object with id; a model that the installation cannot use is rejected with 400.",
  },
  {
    id: "agent-tools",
    source: "seed 2.4",
    rule: "The toolset agent_toolset_20260401 has Bash, Read, Write, Edit, Glob and Grep, and Explore; without a list the first six are enabled, and an unknown name, or one both enabled and disallowed, is rejected with 400.",
  },
  {
    id: "explore",
    source: "design",
    rule: "The tool Explore answers a question about the files in a loop of its own, with those of Read, Glob and Grep that the agent may use unasked. It is off unless enabled_tools or a config names it, and an agent with none of them is rejected with 400. Its loop has at most max_requests requests (2 to 200; 25 unless given) and max_tokens tokens (10,000 to 10,000,000; 500,000), after which it is asked for its answer, which is cut at max_result_bytes (8,192).",
  },
  {
    id: "explore-model",
    source: "design",
    rule: "The config of Explore may name a model of its own, which must be one that the installation can use; its tokens are in the session's usage, and its cost by its own list price in the session's cost and the report.",
  },
  {
    id: "explore-events",
    source: "design",
    rule: "Events of such a loop are in the session's log between the call and its result, with parent_tool_use_id. The agent's context has none of them. An interrupt ends the loop's requests and calls, then the call; so does whoever goes on after the death of a process, and the call is not run again.",
  },
  {
    id: "explore-permission",
    source: "design",
    rule: "A call of Explore is subject to its permission policy, as any; its loop has no tool that is denied, off, or needs a confirmation.",
  },
  {
    id: "result-limits",
    source: "design",
    rule: "A result of Bash, Read or Grep shows the model at most max_result_bytes of the tool's config (1,000 to 102,400; 10,240, 24,576 and 12,288 unless given), and says how to get the rest: the file that holds the whole output, with its size; the offset; a narrower search. Another tool's config with it is rejected with 400.",
  },
  {
    id: "result-repeats",
    source: "design",
    rule: "A result does not repeat what the model has: lines of a file that it read before and that are the same, until its history is compacted (of lines that changed it has the changed ones, where these are less than half); a working directory that it was told.",
  },
  { id: "agent-permission", source: "api 4", rule: "A tool with always_deny, or not enabled, never runs." },
  {
    id: "agent-update",
    source: "api 4",
    rule: "An update requires version; another version than the newest is rejected with 409 conflict_error and changes nothing. An omitted field is kept, null clears it, lists are replaced, and metadata is patched by key; an update without a difference creates no version.",
  },
  {
    id: "agent-versions",
    source: "api 4",
    rule: "Versions are listed newest first under the common list rules and read by number; an unknown version is 404. A session keeps the version that it was created with, which may be an older one.",
  },
  {
    id: "agent-archive",
    source: "api 2",
    rule: "An archived agent can be read; changing it is rejected with 403 permission_error, and a new session with it with 409 conflict_error. Archiving again changes nothing.",
  },
  {
    id: "agent-delete",
    source: "api 2",
    rule: "Delete returns the id and type agent_deleted, and the agent is 404 afterwards; an agent that a session was created with is not deleted: 409 conflict_error.",
  },
  {
    id: "model-list",
    source: "api 4",
    rule: "GET /models lists the models that the installation can use, each with its effective_context_window, and requires the scope agents:read.",
  },
  {
    id: "environment-crud",
    source: "api 4",
    rule: "Environments can be created, listed and read; by default networking is limited and allows no hosts.",
  },
  {
    id: "environment-image",
    source: "api 4",
    rule: "An environment names the image of its sandboxes, null by default; when the installation's engine runs no images, an image is rejected with 400 and param image.",
  },
  {
    id: "environment-unique",
    source: "seed 7.2",
    rule: "A second environment with the same name and owner is rejected with 409 conflict_error, at creation and at update.",
  },
  {
    id: "environment-update",
    source: "api 2",
    rule: "An update keeps omitted fields, resets null fields to their defaults and patches metadata by key; sessions use new variables from their next command on.",
  },
  {
    id: "environment-archive",
    source: "api 2",
    rule: "An archived environment can be read; changing it is rejected with 403 permission_error, and a new session with it with 409 conflict_error. Archiving again changes nothing.",
  },
  {
    id: "environment-delete",
    source: "api 4",
    rule: "While a session that is not terminated uses the environment, delete is rejected with 409 conflict_error; otherwise it returns the id and type environment_deleted, and terminated sessions keep its id.",
  },
  {
    id: "egress-default",
    source: "api 4",
    rule: "By default a session can reach the hosts of its repositories and no others.",
  },
  ...modelFailureRequirements,
  ...networkingRequirements,

  // Files
  {
    id: "files-upload",
    source: "api 4",
    rule: "A multipart upload is streamed and returns a ready file with its size and sha256.",
  },
  {
    id: "files-read",
    source: "api 4",
    rule: "Files can be listed and read; the content endpoint returns the bytes.",
  },
  {
    id: "files-faults",
    source: "api 4",
    rule: "An upload without a file part, with malformed metadata, or of another content type is rejected with 400.",
  },

  {
    id: "files-delete",
    source: "api 4",
    rule: "Delete returns id and type file_deleted, and the file is 404 afterwards; while a session that is neither archived nor terminated mounts the file, delete is rejected with 409 conflict_error. The content is removed together with the last file that has it.",
  },

  // Tokens
  {
    id: "token-create",
    source: "api 4",
    rule: "A token is created with kind, name, scopes and expiry; its secret is returned once and has the documented form.",
  },
  {
    id: "token-current",
    source: "api 4",
    rule: "Any valid token may ask which it is: GET /tokens/current returns it with its organization, its user or service account, and the service's version. berth status prints that, and exits with 1 when the service is not ready.",
  },
  {
    id: "health",
    source: "api 4",
    rule: "GET /health returns an admin whose token has metrics:read the state of the installation: whether sessions run, the checks of berth doctor that need no probe, the services of the database, sessions by status and due ones, disks and snapshots. Others get 403. berth health prints that.",
  },
  {
    id: "whoami",
    source: "api 4",
    rule: "GET /whoami returns, with any valid token, the user or service account by id and name, the organization, the role, the scopes, how the caller signed in, and the token's id and expiry. berth whoami prints that.",
  },
  { id: "token-revoke", source: "api 4", rule: "A deleted token is rejected with 401 from then on." },
  {
    id: "token-revoke-own",
    source: "api 4",
    rule: "Every token may revoke itself, whatever its scopes, also a service account's; without tokens:write it revokes no other.",
  },
  {
    id: "token-bounds",
    source: "api 4",
    rule: "A token cannot grant scopes that its creator lacks, and only admins create service-account tokens; otherwise the request is rejected with 403.",
  },
  {
    id: "token-parent",
    source: "api 4",
    rule: "A token names the token that created it and expires with it at the latest: a later expires_at is rejected with 400, and none means the parent's. Only an admin whose token has the scope * can make an independent one.",
  },
  {
    id: "token-descendants",
    source: "api 4",
    rule: "Revoking a token also revokes and returns its descendants that are not independent; streams opened with them end.",
  },
  {
    id: "token-changed-elsewhere",
    source: "api 4",
    rule: "What one service, or a command, changes counts in every other service of the database for each request that begins 100 ms later: a token that is revoked, with its descendants, or expired, a user or a service account that is disabled, a user or an organization that is erased, and a role.",
  },

  // Pagination
  {
    id: "page-envelope",
    source: "seed 4.9",
    rule: "Lists have data, next_page, first_id, last_id and has_more; in an empty list the ids and next_page are null and has_more is false.",
  },
  {
    id: "page-limit",
    source: "seed 4.9",
    rule: "limit is from 1 to 100, by default 20; 0, a negative number or a non-integer is rejected with 400 Field 'limit' must be a positive integer.; above 100 with 400 limit exceeds maximum of 100.",
  },
  {
    id: "page-order",
    source: "seed 4.9",
    rule: "Lists are newest first; following next_page until it is null returns every object once, also during concurrent writes.",
  },
  {
    id: "page-cursors",
    source: "seed 4.9",
    rule: "page, before_id and after_id are mutually exclusive: more than one is rejected with 400.",
  },
  {
    id: "page-anchors",
    source: "api 3",
    rule: "after_id returns the objects that follow, before_id the page that directly precedes; both newest first.",
  },
  {
    id: "page-signed",
    source: "api 3",
    rule: "A modified cursor, or the cursor of another list or caller, is rejected with 400 and param page.",
  },

  // Authentication and permission
  {
    id: "auth-bearer",
    source: "seed 5",
    rule: "Every endpoint requires Authorization: Bearer; a request without it is rejected with 401 authentication_error.",
  },
  {
    id: "auth-api-key",
    source: "seed 5",
    rule: "x-api-key instead of a bearer token is rejected with 401 authentication_error.",
  },
  {
    id: "auth-malformed",
    source: "seed 5",
    rule: "A malformed, unknown, expired or revoked token is rejected with 401, each with its own message.",
  },
  {
    id: "auth-kinds",
    source: "seed 5",
    rule: "Personal access tokens and service-account tokens both give access to the session endpoints.",
  },
  {
    id: "auth-owner",
    source: "seed 5",
    rule: "An object of another user or organization is rejected with 403 permission_error; one that does not exist with 404.",
  },
  {
    id: "auth-organization",
    source: "api 1",
    rule: "Objects that a service account creates belong to the organization, and its members can access them; an admin can access every object of the organization.",
  },
  {
    id: "auth-scope",
    source: "seed 5",
    rule: "A token without the scope of an operation is rejected with 403 naming the scope; write does not imply read.",
  },

  // Errors
  {
    id: "error-envelope",
    source: "seed 7.1",
    rule: "Every error has type error, request_id, error.type and error.message, and param when one parameter is at fault.",
  },
  {
    id: "error-request-id",
    source: "seed 7.1",
    rule: "request_id is the request's x-request-id or a new UUID, and is returned in x-request-id and request-id.",
  },
  {
    id: "error-body",
    source: "seed 7.2",
    rule: "Malformed JSON, a wrong type, a missing field, an unknown field, a wrong content type and a body over the limit are rejected with 400 invalid_request_error.",
  },
  {
    id: "error-path",
    source: "seed 7.2",
    rule: "An unknown path, or a known path with another method, is 404 not_found_error.",
  },
  {
    id: "error-no-retry",
    source: "api 2",
    rule: "Responses that must not be retried have x-should-retry: false.",
  },
  {
    id: "error-transport",
    source: "api 2",
    rule: "Errors outside the routes, such as malformed HTTP, have the same envelope.",
  },
  {
    id: "error-internal",
    source: "seed 7.2",
    rule: "A database that does not respond in time causes a retryable 500 api_error in the envelope; the service recovers with the database.",
  },
  { id: "limit-body", source: "seed 8", rule: "A JSON body over 4 MiB is rejected with 400." },

  // Versioning and documents
  { id: "paths", source: "seed 9", rule: "Session endpoints are below /api/v1/cloud." },
  {
    id: "openapi",
    source: "api 2",
    rule: "/openapi.json describes every operation that the service has, and no other.",
  },
  {
    id: "ids",
    source: "api 1",
    rule: "An id is the prefix of its kind and 26 characters; created_at is ISO 8601 UTC with milliseconds.",
  },
  ...s3Requirements,
  ...conventions,
  ...outputRequirements,
  ...eventDeltaRequirements,
  ...filterRequirements,
  ...messageContentRequirements,
  ...reclaimRequirements,
  ...keptShellRequirements,
  ...homeRequirements,
  ...saveRequirements,
  ...referenceRequirements,
  ...mcpRequirements,
  ...usageRequirements,
  ...vaultRequirements,
  ...connectionRequirements,
  ...webhookRequirements,
  ...deploymentRequirements,
  ...triggerRequirements,
  ...workspaceRequirements,
  ...previewRequirements,
  ...proxyCredentialRequirements,
  ...administrationRequirements,
  ...auditRequirements,
  ...limitRequirements,
  ...budgetRequirements,
  ...dataProtectionRequirements,
  ...deviceLoginRequirements,
  ...consoleSignInRequirements,
  ...consoleRequirements,
  ...backupRequirements,
  ...traceRequirements,
  ...upgradeRequirements,
  ...serviceManagerRequirements,
  ...tlsRequirements,
  ...confirmationRequirements,
  ...memoryRequirements,
  ...forwardRequirements,
  ...gitIdentityRequirements,
  ...gitLfsRequirements,
  ...gitRepositories,
  ...followRequirements,
  ...pullRequestRequirements,
  ...repositoryRetries,
  ...filesInRepositories,
  ...snapshotRequirements,
  ...containerEngineRequirements,
  ...kubernetesRequirements,
  ...sharingRequirements,
  ...deskRequirements,
  ...skillRequirements,
  ...environmentContents,
  ...fileRemoval,
  ...uploadRequirements,
  ...idempotencyRequirements,
  ...roleRequirements,
  ...scimRequirements,
  ...secretRequirements,
];
