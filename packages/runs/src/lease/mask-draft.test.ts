import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewEvent } from "@berth/contract";
import { testDatabase } from "@berth/store/test-support/database";
import { maskedDraft } from "./mask-draft.ts";

const SECRET = "s3cr3t-canary";
const CONTENT = [{ type: "text" as const, text: `It is ${SECRET}.` }];
const CALL = { input: { [SECRET]: [{ deep: SECRET }] }, evaluated_permission: "allow" as const };
const ID = "evt_01h00000000000000000000000";
const mask = (text: string) => text.replaceAll(SECRET, "[redacted]");

/** An event of each type with the secret wherever an agent may put it, or who writes all its text. */
const EVENTS: { readonly [T in NewEvent["type"]]: Extract<NewEvent, { type: T }> | "service" | "client" } = {
  "agent.message": { type: "agent.message", content: CONTENT },
  "agent.thinking": { type: "agent.thinking" },
  "agent.tool_use": { type: "agent.tool_use", name: `no_tool_${SECRET}`, ...CALL },
  "agent.mcp_tool_use": { type: "agent.mcp_tool_use", mcp_server_name: "all", name: "echo", ...CALL },
  "agent.custom_tool_use": { type: "agent.custom_tool_use", name: "ask", input: CALL.input },
  "agent.tool_result": { type: "agent.tool_result", tool_use_id: ID, content: CONTENT, is_error: false },
  "agent.mcp_tool_result": {
    type: "agent.mcp_tool_result",
    mcp_tool_use_id: ID,
    content: CONTENT,
    is_error: false,
  },
  "agent.content_omitted": {
    type: "agent.content_omitted",
    reason: SECRET,
    omitted: [{ type: "image", count: 1 }],
  },
  "session.error": {
    type: "session.error",
    error: { type: "sandbox_error", message: SECRET, retry_status: { type: "terminal" } },
  },
  "session.egress_denied": {
    type: "session.egress_denied",
    host: `${SECRET}.example`,
    port: 443,
    reason: "not_allowed",
  },
  "session.resource_ready": {
    type: "session.resource_ready",
    resource_id: ID,
    seconds: 1,
    commit: SECRET,
  },
  "session.runtimes_chosen": {
    type: "session.runtimes_chosen",
    runtimes: [
      { runtime: "node", version: "22.1.0", asked: SECRET, resource_id: ID, file: ".nvmrc", line: 1 },
    ],
    missing: [
      { runtime: "go", asked: SECRET, resource_id: ID, file: "go.mod", line: 1, available: ["1.24"] },
    ],
    ignored: [{ resource_id: ID, file: ".tool-versions", line: null, reason: SECRET }],
  },
  "session.devcontainer_read": {
    type: "session.devcontainer_read",
    resource_id: ID,
    file: ".devcontainer.json",
    error: SECRET,
    honoured: [SECRET],
    not_honoured: [{ property: SECRET, reason: SECRET }],
    image: SECRET,
    environment_variable_names: [SECRET],
    forward_ports: [],
  },
  "agent.context_compacted": "service",
  "session.usage": "service",
  "session.confirmation_rule_added": "client",
  "session.confirmation_rule_removed": "client",
  "session.resource_progress": "service",
  "session.environment_progress": "service",
  "session.container_started": "service",
  "session.container_reclaimed": "service",
  "session.events_deleted": "service",
  "session.status_running": "service",
  "session.status_idle": "service",
  "session.status_rescheduled": "service",
  "session.status_terminated": "service",
  "session.updated": "client",
  "session.follow_started": "service",
  "session.follow_handed_over": "service",
  "session.follow_stopped": "service",
  "session.deleted": "service",
  "span.model_request_start": "service",
  "span.model_request_end": "service",
  "user.message": "client",
  "user.interrupt": "client",
  "user.tool_confirmation": "client",
  "user.custom_tool_result": "client",
  "system.message": "client",
};

test("masked draft: no event of any type keeps a secret that an agent worded", () => {
  for (const event of Object.values(EVENTS)) {
    if (typeof event === "string") continue;
    const masked = maskedDraft({ event }, mask);
    assert.ok(!JSON.stringify(masked).includes(SECRET), event.type);
    assert.equal(masked.event.type, event.type);
    assert.deepEqual(
      maskedDraft({ event }, (text) => text),
      { event },
    );
  }
});

test("masked draft: a memo's text is masked; signed thinking with a secret is left out; ids stay", () => {
  const event = { type: "agent.thinking" } as const;
  const opaque = { anthropic: { signature: "abc" } };
  const memoOf = (memo: object) => maskedDraft({ event, memo }, mask).memo;
  assert.deepEqual(memoOf({ text: `A ${SECRET}` }), { text: "A [redacted]" });
  assert.deepEqual(memoOf({ text: `A ${SECRET}`, opaque }), { text: "" });
  const input = { "[redacted]": [{ deep: "[redacted]" }] };
  assert.deepEqual(memoOf({ tool_input: CALL.input }), { tool_input: input });
  assert.deepEqual(memoOf({ text: "A", opaque }), { text: "A", opaque });
  assert.deepEqual(memoOf({ call_id: "call", opaque: { raw: SECRET } }), { call_id: "call" });
});

/**
 * Every column of text, by its author. Text of an agent is masked before it is stored, or rejected. Contents
 * of files are passed on as they are.
 */
const COLUMNS: Readonly<Record<"agent" | "client" | "operator" | "service", string>> = {
  agent: `call_outputs.printed events.body events.memo files.filename memories.content memories.path memory_mount_files.path
    memory_versions.content memory_versions.path session_mcp_tools.instructions session_mcp_tools.tools session_outputs.path
    session_follows.branch session_follows.url session_pull_requests.branches session_pull_requests.found
    session_resources.failure sessions.choices workspace_reads.answer workspace_reads.content`,
  client: `scim_groups.display_name scim_groups.external_id scim_users.display_name scim_users.emails scim_users.external_id scim_users.name
    scim_users.user_name connections.api_url connections.auth connections.display_name connections.metadata connections.secret connections.url
    session_follows.conflicts session_follows.max_list_cost
    webhooks.description webhooks.enabled_events webhooks.format webhooks.name webhooks.recipient_ids webhooks.secret webhooks.url
    deployments.description deployments.environment_variables deployments.follow deployments.initial_events deployments.metadata deployments.name
    deployments.resources deployments.resource_secrets deployments.schedule
    deployment_triggers.allowed_users deployment_triggers.filter deployment_triggers.label deployment_triggers.mention
    deployment_triggers.name deployment_triggers.secret deployment_triggers.site_url deployment_triggers.token deployment_triggers.type
    deployment_runs.delivery_id deployment_runs.source trigger_deliveries.author trigger_deliveries.delivery_id trigger_deliveries.event
    trigger_deliveries.thread trigger_deliveries.work trigger_threads.thread
    session_resources.repository_access session_words.title agent_versions.definition agent_versions.metadata confirmation_rules.command_prefix
    confirmation_rules.mcp_server_name confirmation_rules.tool_name environments.config environments.description
    environments.environment_variables environments.git_identity environments.image environments.metadata
    environments.name environments.resources environments.runtime_class environments.workspace files.metadata files.mime_type idempotency_keys.answer
    idempotency_keys.key memory_stores.description memory_stores.metadata memory_stores.name
    oidc_requests.return_to repository_mirrors.host repository_mirrors.url repository_snapshots.checkout session_mcp_tools.server_name
    session_removals.mount_path session_resources.checkout session_resources.environment_from session_resources.memory_description
    session_resources.memory_instructions session_resources.memory_name session_resources.mount_path
    session_resources.secret session_resources.url session_resources.username session_usage.explore_model session_usage.model sessions.agent
    sessions.environment_variables sessions.git_identity sessions.metadata sessions.title
    skill_versions.description skill_versions.files skills.display_title skills.metadata skills.name
    tokens.name device_authorizations.client_name vault_credentials.allowed_hosts vault_credentials.display_name vault_credentials.metadata
    vault_credentials.secret vault_credentials.target vaults.display_name vaults.metadata
    warm_starts.shape workspace_reads.request workspace_saves.bases`,
  operator:
    "operator_tokens.name organizations.admin_group organizations.default_visibility organizations.name service_accounts.name users.email users.role user_identities.issuer user_identities.subject hosts.name hosts.settings hosts.place runtime_lists.runtime runtime_lists.sources runtime_releases.architecture runtime_releases.contents runtime_releases.runtime runtime_releases.source runtime_releases.version",
  service: `webhooks.disabled_reason webhooks.former_secret webhooks.owner_type webhook_deliveries.details webhook_deliveries.error
    webhook_deliveries.event_type webhook_deliveries.status sessions.budget_stop session_follows.answers session_follows.answers_head session_follows.failure session_follows.gathered session_follows.head session_follows.host
    session_follows.left_out session_follows.repository session_follows.status session_follows.stopped_reason session_follows.taken deployments.organization_access deployments.owner_type deployments.paused_reason deployments.vault_ids
    trigger_deliveries.answer trigger_deliveries.answer_error trigger_deliveries.digest trigger_deliveries.reason trigger_deliveries.status
    deployment_runs.error_message deployment_runs.error_type deployment_runs.outcome deployment_runs.trigger_type session_pull_requests.failure agents.organization_access connections.owner_type environments.organization_access files.organization_access memory_stores.organization_access
    signing_keys.private_key signing_keys.public_key session_tokens.failure session_tokens.host_id session_tokens.repository session_tokens.token sessions.organization_access shares.access
    shares.kind skills.organization_access vaults.organization_access confirmation_rules.created_by sessions.sender_ids sessions.unseen_by egress_authorities.purpose egress_authorities.certificate egress_authorities.key egress_tunnels.owner egress_tunnels.token_hash egress_tunnels.policy operator_tokens.hash operator_tokens.last4 console_links.code_hash oidc_requests.secret_hash oidc_requests.client_network tokens.signed_in_by limits.name retention.name turn_permits.lease_owner sessions.traceparent device_authorizations.device_code_hash
    device_authorizations.user_code_hash device_authorizations.client_address device_authorizations.client_network
    device_authorizations.scopes device_authorizations.status device_authorizations.granted_scopes erasures.subject_type erasures.deleted erasures.handed_over erased_contents.sha256 agents.owner_type audit_entries.actor_type audit_entries.client audit_entries.operation
    audit_entries.request_id audit_entries.resources audit_entries.user_agent database_identity.blob_store database_identity.key_fingerprint
    environments.credentials environments.owner_type events.type file_parts.etag files.owner_type files.receiver files.sha256
    files.status forward_registrations.type hosts.id hosts.version hosts.role memories.content_sha256 memory_mount_files.content_sha256
    memory_mount_files.stamp memory_stores.owner_type memory_versions.content_sha256 memory_versions.created_by
    memory_versions.operation memory_versions.redacted_by partial_contents.upload_id port_previews.created_by port_previews.label repository_snapshots.commit_sha
    repository_snapshots.refs_digest repository_snapshots.setup schema_migrations.checksum schema_migrations.name session_outputs.sha256
    session_outputs.stamp session_resources.base_commit session_resources.failed_inputs session_resources.memory_access session_resources.type
    sessions.awaited_calls sessions.disk sessions.home sessions.last_turn_outcome sessions.lease_owner sessions.owner_type sessions.status
    sessions.vault_ids skill_versions.sha256 skills.owner_type tokens.hash tokens.kind tokens.last4
    tokens.owner_type tokens.scopes vault_credentials.type vaults.owner_type
    volume_snapshots.place volume_snapshots.refs_digest volume_snapshots.repositories
    warm_disks.key warm_disks.name warm_disks.place warm_disks.state warm_pools.keeper warm_pools.place warm_starts.place
    workspace_saves.contents workspace_saves.in_place workspace_saves.sha256`,
};

test("columns: of every column of texts it is known who words it", async (t) => {
  const db = await testDatabase(t);
  const { rows } = await db.read.query<{ name: string }>({
    text: `select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = current_schema()
        and data_type in ('text', 'json', 'jsonb', 'bytea', 'character varying', 'ARRAY')`,
  });
  const known = Object.values(COLUMNS).flatMap((names) => names.split(/\s+/));
  assert.deepEqual(rows.map(({ name }) => name).toSorted(), known.toSorted());
});
