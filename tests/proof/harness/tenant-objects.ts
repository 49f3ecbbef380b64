import type { AnyJson, Api } from "../../acceptance/harness/api.ts";
import { makeFile, makeSkill, skillForm } from "../../acceptance/harness/fixtures.ts";

/** One object of every resource type, created by one caller. */
export interface TenantObjects {
  /** Ids by the name of their path parameter. */
  ids: Record<string, string>;
  /** The text in every free text field of every object. */
  canary: string;
}

/** The inputs of a creation step, with the ids of earlier steps. */
interface CreationContext {
  api: Api;
  canary: string;
  metadata: Record<string, string>;
  /** The client that creates the token: an admin, when the objects belong to an organization. */
  issuer: Api | undefined;
  ids: Record<string, string>;
}

/** The creation steps in order; each returns the ids of its objects. */
const CREATORS: ((context: CreationContext) => Promise<Record<string, string>>)[] = [
  makeAgentAndEnvironment,
  makeWebhook,
  makeVault,
  makeConnection,
  makeSkillAndVersion,
  makeMemory,
  makeFiles,
  makeSession,
  makeDeployment,
  makeToken,
  whoseAll,
];

/**
 * Creates the objects of one tenant. `canary` is lower-case letters and digits. `issuer` creates the token:
 * an admin, when the objects belong to an organization.
 */
export async function makeTenantObjects(api: Api, canary: string, issuer?: Api): Promise<TenantObjects> {
  const context: CreationContext = { api, canary, metadata: { canary }, issuer, ids: {} };
  for (const create of CREATORS) Object.assign(context.ids, await create(context));
  return { canary, ids: context.ids };
}

async function makeAgentAndEnvironment({ api, canary, metadata }: CreationContext) {
  const agent = await api.ok("POST", "/agents", {
    name: canary,
    model: "rehearsal/steps",
    description: canary,
    system: canary,
    tools: [{ type: "agent_toolset_20260401" }],
    metadata,
  });
  const environment = await api.ok("POST", "/environments", {
    name: canary,
    description: canary,
    environment_variables: { CANARY: canary },
    metadata,
  });
  return { agent_id: agent.id, environment_id: environment.id };
}

/** Its host does not exist. It has a delivery, of a vault. An owner of many tenants' objects keeps the newest and the first. */
async function makeWebhook({ api, canary }: CreationContext) {
  const { principal } = await api.ok("GET", "/whoami");
  const { data: known } = await api.ok("GET", "/webhooks?limit=100");
  const isMine = ({ owner_id: owner, owner_type: type }: AnyJson) =>
    owner === principal.id || (principal.type === "service_account" && type === "organization");
  for (const { id } of known.filter(isMine).slice(24, -1)) await api.ok("DELETE", `/webhooks/${id}`);
  const { id } = await api.ok("POST", "/webhooks", {
    ...{ name: canary, description: canary, url: `https://hook.invalid/${canary}`, enabled_events: ["*"] },
  });
  await api.ok("POST", "/vaults", { display_name: canary });
  const [delivery] = (await api.ok("GET", `/webhooks/${id}/deliveries?event_type=vault.created`)).data;
  return { webhook_id: id, delivery_id: delivery.id };
}

async function makeVault({ api, canary, metadata }: CreationContext) {
  const vault = await api.ok("POST", "/vaults", { display_name: canary, metadata });
  const auth = { type: "static_bearer", mcp_server_url: `https://${canary}.example/mcp`, token: canary };
  const credential = await api.ok("POST", `/vaults/${vault.id}/credentials`, {
    display_name: canary,
    metadata,
    auth,
  });
  return { vault_id: vault.id, credential_id: credential.id };
}

/** The host does not exist, so that no request leaves the machine. */
async function makeConnection({ api, canary, metadata }: CreationContext) {
  const connection = await api.ok("POST", "/connections", {
    display_name: canary,
    url: "https://git.invalid",
    auth: { type: "token", api: "gitea", username: canary, token: canary },
    metadata,
  });
  return { connection_id: connection.id };
}

/** Creates two versions, so that one can be deleted. */
async function makeSkillAndVersion({ api, canary, metadata }: CreationContext) {
  const skill = await makeSkill(api, canary, { metadata });
  await makeSkill(api, canary, { path: `/skills/${skill.id}/versions` });
  return { skill_id: skill.id, version: "1" };
}

async function makeMemory({ api, canary, metadata }: CreationContext) {
  const store = await api.ok("POST", "/memory_stores", { name: canary, description: canary, metadata });
  const memories = `/memory_stores/${store.id}/memories`;
  const memory = await api.ok("POST", memories, { path: `/${canary}`, content: `${canary} before` });
  await api.ok("POST", `${memories}/${memory.id}`, { content: canary });
  return {
    memory_store_id: store.id,
    memory_id: memory.id,
    memory_version_id: memory.memory_version_id,
  };
}

/** Creates two files. The second is not mounted, so that it can be deleted and mounted. */
async function makeFiles({ api, canary, metadata }: CreationContext) {
  const mounted = await makeFile(api, canary, `${canary}.txt`, metadata);
  const free = await makeFile(api, `${canary} again`, `${canary}-2.txt`, metadata);
  return { mounted_file_id: mounted.id, file_id: free.id };
}

async function makeSession({ api, canary, metadata, ids }: CreationContext) {
  const session = await api.ok("POST", "/sessions", {
    agent: ids.agent_id,
    environment_id: ids.environment_id,
    title: canary,
    metadata,
    environment_variables: { CANARY: canary },
    resources: [{ type: "file", file_id: ids.mounted_file_id }],
  });
  const preview = await api.ok("POST", `/sessions/${session.id}/previews`, { port: 5173 });
  const rule = await api.ok("POST", `/sessions/${session.id}/confirmation_rules`, {
    tool_name: "Bash",
    command_prefix: canary,
  });
  const [{ id: resource_id }] = session.resources;
  return { session_id: session.id, resource_id, preview_id: preview.id, rule_id: rule.id };
}

/** Creates a deployment that has run. */
async function makeDeployment({ api, canary, metadata, ids }: CreationContext) {
  const deployment = await api.ok("POST", "/deployments", {
    name: canary,
    description: canary,
    agent: ids.agent_id,
    environment_id: ids.environment_id,
    initial_events: [{ type: "user.message", content: [{ type: "text", text: canary }] }],
    environment_variables: { CANARY: canary },
    metadata,
  });
  const run = await api.ok("POST", `/deployments/${deployment.id}/run`);
  // So that the environment can be deleted.
  await api.ok("POST", `/sessions/${run.session_id}/terminate`);
  const trigger = await api.ok("POST", `/deployments/${deployment.id}/triggers`, {
    ...{ type: "github", name: canary, allowed_users: [canary], label: canary },
    filter: { match: { canary } },
  });
  return { deployment_id: deployment.id, deployment_run_id: run.id, trigger_id: trigger.id };
}

async function makeToken({ api, canary, issuer }: CreationContext) {
  const kind = issuer === undefined ? "pat" : "sat";
  const token = await (issuer ?? api).ok("POST", "/tokens", { name: canary, kind });
  return { token_id: token.id };
}

/** Returns the ids of the objects' owners, and absent ids of objects that only an operator sees. */
async function whoseAll({ api }: CreationContext) {
  const { organization, user, service_account: account } = await api.ok("GET", "/tokens/current");
  const none = "_01zzzzzzzzzzzzzzzzzzzzzzzz";
  return {
    organization_id: organization.id,
    user_id: user?.id ?? `usr${none}`,
    service_account_id: account?.id ?? `svc${none}`,
    owner_id: user?.id ?? organization.id,
    operator_token_id: `optok${none}`,
    erasure_id: `erasure${none}`,
    host_id: "none",
  };
}

/** Paths of the objects that can be shared, by the name of their id. */
const SHARED_PATHS: Readonly<Record<string, string>> = {
  agent_id: "/agents",
  environment_id: "/environments",
  vault_id: "/vaults",
  skill_id: "/skills",
  memory_store_id: "/memory_stores",
  file_id: "/files",
  mounted_file_id: "/files",
  session_id: "/sessions",
  deployment_id: "/deployments",
};

/** Shares all objects of a tenant, by one request each with the body. */
export async function shareAll(api: Api, { ids }: TenantObjects, body: object): Promise<void> {
  for (const [name, path] of Object.entries(SHARED_PATHS))
    await api.ok("POST", `${path}/${ids[name]}/share`, body);
}

/** Returns well-formed ids of objects that do not exist. */
export function absentObjects({ ids, canary }: TenantObjects): TenantObjects {
  const absent = Object.entries(ids).map(([name, id]) => [
    name,
    id.replace(/_[^_]*$/, "_01zzzzzzzzzzzzzzzzzzzzzzzz"),
  ]);
  return { ids: Object.fromEntries(absent), canary };
}

/** Whether the body of the operation refers to objects, so that access to them matters. */
export function bodyNamesObjects(operation: string): boolean {
  return ["sessions.create", "deployments.create", "forward.register"].includes(operation);
}

/** Returns a valid body for an operation on existing objects. */
export function validBody(operation: string, { ids, canary }: TenantObjects): AnyJson {
  if (operation.endsWith(".share")) return {};
  const bodies: Record<string, () => AnyJson> = {
    "tokens.create": () => ({ name: canary }),
    "deviceAuthorizations.create": () => ({ client_name: canary }),
    "deviceTokens.create": () => ({ device_code: canary }),
    "agents.create": () => ({ name: canary, model: "rehearsal/steps" }),
    "agents.update": () => ({ version: 1, description: "other" }),
    "environments.create": () => ({ name: `${canary} ${Math.random()}` }),
    "vaults.create": () => ({ display_name: canary }),
    "vaults.update": () => ({ display_name: canary }),
    "vaultCredentials.create": () => ({
      auth: { type: "static_bearer", mcp_server_url: "https://other.example/mcp", token: canary },
    }),
    "vaultCredentials.update": () => ({ display_name: canary }),
    "connections.create": () => ({ display_name: canary, auth: { type: "gitlab", token: canary } }),
    "connections.update": () => ({ display_name: canary }),
    "webhooks.create": () => ({ url: `https://hook.invalid/${canary}`, enabled_events: ["*"] }),
    "webhooks.update": () => ({ name: canary }),
    "environments.update": () => ({ description: "other" }),
    "forward.register": () => ({ type: "skill", resource: { id: ids.skill_id } }),
    "skills.update": () => ({ display_title: "other" }),
    "sessions.create": () => ({ agent: ids.agent_id, environment_id: ids.environment_id }),
    "deployments.create": () => ({
      name: canary,
      agent: ids.agent_id,
      environment_id: ids.environment_id,
      initial_events: [{ type: "user.message", content: [{ type: "text", text: canary }] }],
    }),
    "deployments.update": () => ({ description: "other" }),
    "deploymentTriggers.create": () => ({ type: "signed", name: canary }),
    "deploymentTriggers.update": () => ({ name: "other" }),
    "sessions.update": () => ({ title: "other" }),
    "sessionResources.add": () => ({ type: "file", file_id: ids.file_id }),
    "sessionResources.rotate": () => ({ authorization_token: "other" }),
    "previews.create": () => ({ port: 5173 }),
    "confirmationRules.create": () => ({ tool_name: "Bash", command_prefix: canary }),
    "memoryStores.create": () => ({ name: canary }),
    "memoryStores.update": () => ({ description: "other" }),
    "memories.create": () => ({ path: `/${Math.random()}`, content: canary }),
    "memories.update": () => ({ content: "other" }),
    "events.send": () => ({ events: [{ type: "user.interrupt" }] }),
    "adminOrganizations.create": () => ({ name: `${canary} ${Math.random()}` }),
    "adminOrganizations.update": () => ({ name: `${canary} ${Math.random()}` }),
    "adminUsers.create": () => ({
      email: `${Math.random()}@example.com`,
      organization_id: ids.organization_id,
    }),
    "adminUsers.update": () => ({ role: "member" }),
    "adminServiceAccounts.create": () => ({ name: `${Math.random()}`, organization_id: ids.organization_id }),
    "adminTokens.create": () => ({ user_id: ids.user_id, name: canary }),
    "adminOperatorTokens.create": () => ({ name: canary }),
    "adminLimits.update": () => ({ open_sessions: 1_000 }),
    "adminRetention.update": () => ({ files: 1_000 }),
    "adminErasures.create": () => ({ user_id: ids.user_id }),
    "adminDeviceAuthorizations.lookup": () => ({ user_code: "AAAA-AAAA" }),
    "adminDeviceAuthorizations.approve": () => ({ user_code: "AAAA-AAAA", user_id: ids.user_id }),
    "adminDeviceAuthorizations.deny": () => ({ user_code: "AAAA-AAAA" }),
    "adminHosts.forget": () => ({}),
  };
  return bodies[operation]?.();
}

/** Returns a valid form for an operation. */
export function validForm(operation: string, { canary }: TenantObjects): FormData {
  if (operation === "skills.create") return skillForm(`other-${Date.now()}-${++formCount}`);
  if (operation === "skills.createVersion") return skillForm(canary);
  const form = new FormData();
  const content: Record<string, string> = { "files.upload": canary };
  form.set("file", new Blob([content[operation] ?? ""]), `${canary}.txt`);
  return form;
}

let formCount = 0;
