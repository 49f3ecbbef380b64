import { confirmationRequirements } from "./requirements/confirmations.ts";
import { containerEngineRequirements } from "./requirements/container-engine.ts";
import { conventions } from "./requirements/conventions.ts";
import { environmentContents } from "./requirements/environment-contents.ts";
import { eventDeltaRequirements } from "./requirements/event-deltas.ts";
import { fileRemoval } from "./requirements/file-removal.ts";
import { filterRequirements } from "./requirements/filters.ts";
import { forwardRequirements } from "./requirements/forward.ts";
import { gitRepositories } from "./requirements/git-repositories.ts";
import { idempotencyRequirements } from "./requirements/idempotency.ts";
import { mcpRequirements } from "./requirements/mcp.ts";
import { memoryRequirements } from "./requirements/memory.ts";
import { messageContentRequirements } from "./requirements/message-content.ts";
import { networkingRequirements } from "./requirements/networking.ts";
import { outputRequirements } from "./requirements/outputs.ts";
import { proxyCredentialRequirements } from "./requirements/proxy-credentials.ts";
import { pullRequestRequirements } from "./requirements/pull-requests.ts";
import { reclaimRequirements } from "./requirements/reclaim.ts";
import { snapshotRequirements } from "./requirements/repository-snapshots.ts";
import type { Requirement } from "./requirements/requirement.ts";
import { secretRequirements } from "./requirements/secrets.ts";
import { skillRequirements } from "./requirements/skills.ts";
import { uploadRequirements } from "./requirements/uploads.ts";
import { vaultRequirements } from "./requirements/vaults.ts";

/** Every requirement. Nouns with many of them have a file in `requirements/`. */
export const REQUIREMENTS: readonly Requirement[] = [
  // Repositories
  {
    id: "repo-kind",
    source: "seed 2.1",
    rule: "A repository is attached as type hosted_repository with a url of the form https://<repo_host>/<org>/<repo>; other forms and hosts that the installation does not serve are refused with 400 naming the field.",
  },
  {
    id: "repo-default-mount",
    source: "seed 2.1",
    rule: "Without mount_path a repository is cloned to a path derived from its name.",
  },
  { id: "repo-token-optional", source: "seed 2.1", rule: "authorization_token may be left out." },
  {
    id: "repo-token-secret",
    source: "seed 2.1",
    rule: "authorization_token is in no answer: not of create, not of session reads, not of resource reads, not of rotation.",
  },
  {
    id: "repo-several",
    source: "seed 2.1",
    rule: "Several repositories may be attached in one request when their mount paths differ; equal or nested ones are refused with 400.",
  },
  {
    id: "repo-shape",
    source: "seed 2.2",
    rule: "A repository in a session answers type, url as given, mount_path as given or derived, checkout (null when none was asked), created_at and updated_at.",
  },
  {
    id: "repo-checkout",
    source: "api 4",
    rule: "checkout takes a branch by name or a commit by hash and is returned as given; any other form is 400.",
  },
  {
    id: "repo-only-at-create",
    source: "seed 1",
    rule: "Repositories are attached only when the session is created: adding one later is 400.",
  },
  {
    id: "repo-fixed",
    source: "seed 1",
    rule: "Url and mount path of a mounted repository cannot be changed on a session.",
  },
  {
    id: "repo-mounted",
    source: "seed 1",
    rule: "The repository is in the container at its mount path when the first command runs, and the agent can read, edit, commit and push there.",
  },
  { id: "repo-full-clone", source: "seed 1", rule: "Clones are full: the whole history is there." },
  {
    id: "repo-cli-token",
    source: "seed 1",
    rule: "The provider CLI's token variable in the container holds the repository's token, so that the CLI needs no login.",
  },
  {
    id: "repo-401",
    source: "seed 1",
    rule: "git against an expired or revoked token gets 401 inside the container.",
  },
  {
    id: "repo-rotation",
    source: "seed 2.1",
    rule: "A rotation request replaces the token, and the agent's next git command uses it.",
  },
  {
    id: "repo-clone-failure",
    source: "api 4",
    rule: "A clone that fails is a session.error of a repository type; the session goes on without it.",
  },
  { id: "workdir", source: "seed 1", rule: "The agent's commands run in /data." },
  { id: "clone-tools", source: "seed 1", rule: "git and the provider's CLI are in the container." },

  // File resources
  {
    id: "file-mounted",
    source: "seed 1",
    rule: "An attached file is in the container at its mount path, by default /mnt/session/uploads/<file_id>, also when it is added while the session lives.",
  },
  {
    id: "file-shape",
    source: "seed 2.3",
    rule: "A file in a session answers id (sesr_), type file, file_id, mount_path, created_at and updated_at.",
  },
  {
    id: "file-add",
    source: "seed 4.3",
    rule: "POST …/resources with a ready file answers 200 with the file resource; mount_path may be null or absent.",
  },
  {
    id: "file-add-type",
    source: "seed 4.3",
    rule: "Any type but file is 400 with the message Field 'type' must be 'file'.",
  },
  {
    id: "file-add-required",
    source: "seed 4.3",
    rule: "A missing file_id is 400 with the message Field 'file_id' is required.",
  },
  { id: "file-add-mount", source: "seed 4.3", rule: "An invalid mount path is 400." },
  {
    id: "file-add-404",
    source: "seed 4.3",
    rule: "An unknown session or file is 404; the message names the file's id.",
  },
  {
    id: "file-add-409",
    source: "seed 4.3",
    rule: "An archived or terminated session, or a file that is mounted there already, is 409 labelled invalid_request_error.",
  },

  // Sessions
  {
    id: "session-shape",
    source: "seed 2.4",
    rule: "Create answers 200 with the session: all members of the description, status idle, empty defaults, counters 0.",
  },
  {
    id: "session-agent",
    source: "seed 2.4",
    rule: "The session shows the agent as resolved: model with id and effective_context_window, system, tools with enabled_tools, skills, version.",
  },
  {
    id: "session-agent-reference",
    source: "seed 4.1",
    rule: "agent is an object with id, type agent and an optional version, or the id alone.",
  },
  {
    id: "session-create-faults",
    source: "api 4",
    rule: "A missing agent or environment is 400 with param; an unknown one 404; an unknown version 404.",
  },
  { id: "session-metadata", source: "api 2", rule: "metadata holds up to 16 pairs of strings." },
  {
    id: "session-variables",
    source: "seed 2.4",
    rule: "environment_variables is an object, empty by default, whose variables every command has; reserved names are 400.",
  },
  {
    id: "session-list",
    source: "api 4",
    rule: "Sessions list newest first and filter by agent, environment and status; archived ones only on request.",
  },
  {
    id: "session-get",
    source: "seed 7.2",
    rule: "GET of a session answers it; an unknown id is 404 not_found_error.",
  },
  {
    id: "session-cancel",
    source: "api 4",
    rule: "Cancel ends a running turn, leaves an idle session as it is, and is 409 on a terminated one.",
  },
  {
    id: "session-archive",
    source: "seed 3",
    rule: "An archived session has archived_at, can be read, and refuses events with 403.",
  },
  {
    id: "session-terminate",
    source: "seed 3",
    rule: "A terminated session has status terminated; events, cancel and a second terminate are 409 conflict_error.",
  },
  {
    id: "session-update",
    source: "api 4",
    rule: "An update changes title and metadata: omitted keeps, null clears, metadata per pair; other fields are 400. The log tells it by session.updated.",
  },
  {
    id: "session-update-ended",
    source: "api 2",
    rule: "An update of an archived session is 403, of a terminated one 409 conflict_error.",
  },
  {
    id: "session-delete",
    source: "api 4",
    rule: "Delete answers id and type session_deleted; the session is 404 from then on and its disk is removed. While it runs it is 409 conflict_error.",
  },
  {
    id: "session-delete-stream",
    source: "api 4",
    rule: "Streams that are open when a session is deleted get session.deleted and end.",
  },
  { id: "session-stats", source: "api 4", rule: "active_seconds and usage grow with the work done." },

  // Session resources
  {
    id: "resource-list",
    source: "seed 4.4",
    rule: "The list of a session's resources has the envelope of lists and their rules.",
  },
  {
    id: "resource-get",
    source: "seed 4.5",
    rule: "One resource is read by its id; 404 tells whether the session or the resource is missing.",
  },
  { id: "resource-rotate-kind", source: "api 4", rule: "Rotation is for repositories: another kind is 400." },
  {
    id: "mount-path-rules",
    source: "api 4",
    rule: "A mount path is absolute, at most 1024 bytes, without empty, dot or control segments, and outside system and platform places.",
  },

  // Events
  {
    id: "event-send",
    source: "seed 4.2",
    rule: "A user.message with text parts is accepted and answered with its id, processed_at null.",
  },
  { id: "event-batch", source: "api 4", rule: "One to fifty events are taken all or none." },
  {
    id: "event-kinds",
    source: "seed 6",
    rule: "An unknown kind of event or content is 400; kinds that are not served yet say so.",
  },
  {
    id: "event-turn",
    source: "api 4",
    rule: "A message leads to status_running, the agent's events, and status_idle with a stop reason.",
  },
  {
    id: "event-list",
    source: "api 4",
    rule: "The log lists in order, ascending by default, by type on request, paged.",
  },
  {
    id: "event-stream",
    source: "api 4",
    rule: "The stream frames id, event and data, begins at the tail, and from=start replays everything.",
  },
  {
    id: "event-resume",
    source: "api 4",
    rule: "Last-Event-ID or after_id resumes without gap or duplicate; an unknown id is 400.",
  },
  {
    id: "event-interrupt",
    source: "api 4",
    rule: "user.interrupt ends a running command and the turn, with stop reason cancelled.",
  },
  { id: "event-initial", source: "api 4", rule: "initial_events start the session at once." },

  // Agents and environments
  { id: "agent-name", source: "seed 4.8", rule: "An agent without name is 400 with param name." },
  { id: "agent-read", source: "seed 4.8", rule: "Agents are listed and read by id." },
  {
    id: "agent-model",
    source: "api 4",
    rule: "model is provider/model or an object with id; one that the installation cannot reach is 400.",
  },
  {
    id: "agent-tools",
    source: "seed 2.4",
    rule: "The toolset agent_toolset_20260401 has Bash, Read, Write, Edit, Glob, Grep; none named is all six; an unknown name or one both enabled and disallowed is 400.",
  },
  { id: "agent-permission", source: "api 4", rule: "A tool with always_deny, or not enabled, is never run." },
  {
    id: "agent-update",
    source: "api 4",
    rule: "An update needs version, 409 conflict_error when it is not the newest and then nothing changes; what is left out stays, null clears, lists are replaced whole, metadata is patched by key; no difference makes no version.",
  },
  {
    id: "agent-versions",
    source: "api 4",
    rule: "Versions are listed newest first by the rules of lists and read by version; an unknown version is 404. A session keeps the version that it was created with, which may be an older one.",
  },
  {
    id: "agent-archive",
    source: "api 2",
    rule: "An archived agent is read; changing it is 403 permission_error and a new session with it 409 conflict_error. Archiving again changes nothing.",
  },
  {
    id: "agent-delete",
    source: "api 2",
    rule: "Delete answers the id and type agent_deleted, after which the agent is 404; it is 409 conflict_error when a session was created with the agent.",
  },
  {
    id: "model-list",
    source: "api 4",
    rule: "GET /models lists the models that the installation can reach, each with its effective_context_window, under the scope agents:read.",
  },
  {
    id: "environment-crud",
    source: "api 4",
    rule: "Environments are created, listed and read; networking is limited with no hosts by default.",
  },
  {
    id: "environment-image",
    source: "api 4",
    rule: "An environment names the image of its sandboxes, null by default; where the installation's engine runs none, an image is 400 with param image.",
  },
  {
    id: "environment-unique",
    source: "seed 7.2",
    rule: "A second environment of the same name and owner is 409 conflict_error, at creation and at update.",
  },
  {
    id: "environment-update",
    source: "api 2",
    rule: "An update keeps what is left out, sets null back to the default and patches metadata by key; sessions have new variables with their next command.",
  },
  {
    id: "environment-archive",
    source: "api 2",
    rule: "An archived environment is read; changing it is 403 permission_error and a new session with it 409 conflict_error. Archiving again changes nothing.",
  },
  {
    id: "environment-delete",
    source: "api 4",
    rule: "Delete is 409 conflict_error while a session that is not terminated uses the environment; else it answers the id and type environment_deleted, and terminated sessions still name it.",
  },
  { id: "egress-default", source: "api 4", rule: "A session reaches its repositories' hosts and no other." },
  ...networkingRequirements,

  // Files
  {
    id: "files-upload",
    source: "api 4",
    rule: "A multipart upload answers a ready file with size and sha256, streamed.",
  },
  { id: "files-read", source: "api 4", rule: "Files are listed and read; content answers the bytes." },
  {
    id: "files-faults",
    source: "api 4",
    rule: "An upload without file part, with metadata of the wrong form, or of another content type is 400.",
  },

  {
    id: "files-delete",
    source: "api 4",
    rule: "Delete answers id and type file_deleted, and the file is 404; while a session that is not archived or terminated mounts it, 409 conflict_error. The content goes with the last file that has it.",
  },

  // Tokens
  {
    id: "token-create",
    source: "api 4",
    rule: "A token is made with kind, name, scopes and expiry; its secret is shown once and has the documented form.",
  },
  { id: "token-revoke", source: "api 4", rule: "A deleted token is refused from then on with 401." },
  {
    id: "token-bounds",
    source: "api 4",
    rule: "A token cannot give scopes that its creator lacks, and service-account tokens are made by admins: else 403.",
  },

  // Pagination
  {
    id: "page-envelope",
    source: "seed 4.9",
    rule: "Lists answer data, next_page, first_id, last_id and has_more; an empty list has nulls and false.",
  },
  {
    id: "page-limit",
    source: "seed 4.9",
    rule: "limit is 20 when left out, 1 to 100; 0, negative or not an integer is 400 Field 'limit' must be a positive integer.; above 100 is 400 limit exceeds maximum of 100.",
  },
  {
    id: "page-order",
    source: "seed 4.9",
    rule: "Newest first; following next_page until null sees every object once, also while others write.",
  },
  {
    id: "page-cursors",
    source: "seed 4.9",
    rule: "page, before_id and after_id exclude each other: more than one is 400.",
  },
  {
    id: "page-anchors",
    source: "api 3",
    rule: "after_id gives what follows, before_id the page that directly precedes, newest first both.",
  },
  {
    id: "page-signed",
    source: "api 3",
    rule: "An altered cursor, or one of another list or caller, is 400 with param page.",
  },

  // Authentication and permission
  {
    id: "auth-bearer",
    source: "seed 5",
    rule: "Every endpoint takes Authorization: Bearer; without it 401 authentication_error.",
  },
  {
    id: "auth-api-key",
    source: "seed 5",
    rule: "x-api-key in place of a bearer token is 401 authentication_error.",
  },
  {
    id: "auth-malformed",
    source: "seed 5",
    rule: "A malformed, unknown, expired or revoked token is 401, each with its own message.",
  },
  { id: "auth-kinds", source: "seed 5", rule: "Both a PAT and a SAT open the session endpoints." },
  {
    id: "auth-owner",
    source: "seed 5",
    rule: "An object of another user or organization is 403 permission_error; one that does not exist 404.",
  },
  {
    id: "auth-organization",
    source: "api 1",
    rule: "What a service account makes belongs to the organization, whose members reach it; an admin reaches all of the organization's.",
  },
  {
    id: "auth-scope",
    source: "seed 5",
    rule: "A token whose scopes do not cover the operation is 403 naming the scope; write does not imply read.",
  },

  // Errors
  {
    id: "error-envelope",
    source: "seed 7.1",
    rule: "Every error is the envelope with type error, request_id, error.type and error.message, param where one parameter is at fault.",
  },
  {
    id: "error-request-id",
    source: "seed 7.1",
    rule: "request_id is the request's x-request-id or a UUID, echoed in x-request-id and request-id.",
  },
  {
    id: "error-body",
    source: "seed 7.2",
    rule: "Malformed JSON, a wrong type, a missing field, an unknown field, a wrong content type and a body over the limit are 400 invalid_request_error.",
  },
  {
    id: "error-path",
    source: "seed 7.2",
    rule: "An unknown path, or a known one with another method, is 404 not_found_error.",
  },
  {
    id: "error-no-retry",
    source: "api 2",
    rule: "Answers that must not be retried carry x-should-retry: false.",
  },
  {
    id: "error-transport",
    source: "api 2",
    rule: "Errors below the routes, as of malformed HTTP, are the envelope too.",
  },
  {
    id: "error-internal",
    source: "seed 7.2",
    rule: "A database that does not answer in time is 500 api_error in the envelope, which may be retried; the service goes on when it is back.",
  },
  { id: "limit-body", source: "seed 8", rule: "A JSON body over 4 MiB is 400." },

  // Versioning and documents
  { id: "paths", source: "seed 9", rule: "Session endpoints stand under /api/v1/cloud." },
  {
    id: "openapi",
    source: "api 2",
    rule: "/openapi.json describes every operation that is served, and none that is not.",
  },
  {
    id: "ids",
    source: "api 1",
    rule: "Ids are the prefix of their kind and 26 characters; created_at is ISO 8601 UTC with milliseconds.",
  },
  ...conventions,
  ...outputRequirements,
  ...eventDeltaRequirements,
  ...filterRequirements,
  ...messageContentRequirements,
  ...reclaimRequirements,
  ...mcpRequirements,
  ...vaultRequirements,
  ...proxyCredentialRequirements,
  ...confirmationRequirements,
  ...memoryRequirements,
  ...forwardRequirements,
  ...gitRepositories,
  ...pullRequestRequirements,
  ...snapshotRequirements,
  ...containerEngineRequirements,
  ...skillRequirements,
  ...environmentContents,
  ...fileRemoval,
  ...uploadRequirements,
  ...idempotencyRequirements,
  ...secretRequirements,
];
