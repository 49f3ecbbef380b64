import { newUuid } from "@berth/contract";
import { adminExamples, type Example, type MakeExample } from "./admin-examples.ts";
import type { Caller, Part, Wire } from "./http.ts";
import { manual, postSkill } from "./skills.ts";

export { addHost, type Example } from "./admin-examples.ts";

/** Examples by operation that changes something. Each creates what it needs, and returns the request. */
export const examples: Readonly<Record<string, MakeExample>> = {
  ...adminExamples,

  "tokens.create": () => ({ body: { name: "example" } }),
  "tokens.delete": async (owner) => ids(await owner.made("/tokens", { name: "example" })),

  "deviceAuthorizations.lookup": aUserCode,
  "deviceAuthorizations.approve": aUserCode,
  "deviceAuthorizations.deny": aUserCode,

  "consoleLinks.create": () => ({}),

  "agents.create": () => ({ body: agent }),
  "agents.update": async (owner) => ({ ...ids(await anAgent(owner)), body: { version: 1, name: "other" } }),
  "agents.share": async (owner) => ({ ...ids(await anAgent(owner)), body: {} }),
  "agents.unshare": async (owner) => ids(await anAgent(owner)),
  "agents.archive": async (owner) => ids(await anAgent(owner)),
  "agents.delete": async (owner) => ids(await anAgent(owner)),

  "environments.create": () => ({ body: { name: unique() } }),
  "environments.update": async (owner) => ({ ...ids(await anEnvironment(owner)), body: { name: unique() } }),
  "environments.share": async (owner) => ({ ...ids(await anEnvironment(owner)), body: {} }),
  "environments.unshare": async (owner) => ids(await anEnvironment(owner)),
  "environments.archive": async (owner) => ids(await anEnvironment(owner)),
  "environments.delete": async (owner) => ids(await anEnvironment(owner)),

  "sessions.create": async (owner) => ({
    body: {
      agent: (await anAgent(owner)).id,
      environment_id: (await anEnvironment(owner)).id,
      resources: [repository, { type: "file", file_id: (await aFile(owner)).id }],
      initial_events: [message],
    },
  }),
  "sessions.update": async (owner) => ({ ...ids(await aSession(owner)), body: { title: "other" } }),
  "sessions.cancel": async (owner) => {
    const session = await aSession(owner);
    await owner.made(`/sessions/${session.id}/events`, { events: [message] });
    return ids(session);
  },
  "sessions.share": async (owner) => ({ ...ids(await aSession(owner)), body: {} }),
  "sessions.unshare": async (owner) => ids(await aSession(owner)),
  "sessions.archive": async (owner) => ids(await aSession(owner)),
  "sessions.release": async (owner) => ids(await aSession(owner)),
  "sessions.terminate": async (owner) => ids(await aSession(owner)),
  "sessions.delete": async (owner) => ids(await aSession(owner)),
  "sessions.markSeen": async (owner) => ids(await aSession(owner)),
  "sessions.markUnseen": async (owner) => ids(await aSession(owner)),

  "sessionResources.add": async (owner) => ({
    ...ids(await aSession(owner)),
    body: { type: "file", file_id: (await aFile(owner)).id },
  }),
  "sessionResources.delete": async (owner) => {
    const { id } = await aFile(owner);
    const session = await aSession(owner, { resources: [{ type: "file", file_id: id }] });
    return { ids: [session.id, session.resources[0].id] };
  },
  "sessionResources.rotate": async (owner) => {
    const session = await aSession(owner, { resources: [repository] });
    return { ids: [session.id, session.resources[0].id], body: { authorization_token: "new-token" } };
  },

  "previews.create": async (owner) => ({ ...ids(await aSession(owner)), body: { port: 5173 } }),
  "previews.delete": async (owner) => {
    const { id } = await aSession(owner);
    const preview = await owner.made(`/sessions/${id}/previews`, { port: 5173 });
    return { ids: [id, preview.id] };
  },

  "confirmationRules.create": async (owner) => ({ ...ids(await aSession(owner)), body: rule }),
  "confirmationRules.delete": async (owner) => {
    const { id } = await aSession(owner);
    return { ids: [id, (await owner.made(`/sessions/${id}/confirmation_rules`, rule)).id] };
  },

  "events.send": async (owner) => ({ ...ids(await aSession(owner)), body: { events: [message] } }),

  "files.upload": () => ({ form: [{ name: "file", filename: "a.txt", content: "content" }] }),
  "files.share": async (owner) => ({ ...ids(await aFile(owner)), body: {} }),
  "files.unshare": async (owner) => ids(await aFile(owner)),
  "files.delete": async (owner) => ids(await aFile(owner)),

  "skills.create": () => ({ form: skillForm("example") }),
  "skills.createVersion": async (owner) => {
    const { id, name } = await aSkill(owner);
    return { ids: [id], form: skillForm(name) };
  },
  "skills.update": async (owner) => ({ ...ids(await aSkill(owner)), body: { display_title: "other" } }),
  "skills.share": async (owner) => ({ ...ids(await aSkill(owner)), body: {} }),
  "skills.unshare": async (owner) => ids(await aSkill(owner)),
  "skills.archive": async (owner) => ids(await aSkill(owner)),
  "skills.delete": async (owner) => ids(await aSkill(owner)),
  "skills.deleteVersion": async (owner) => {
    const { id, name } = await aSkill(owner);
    await postSkill(owner, name, `/skills/${id}/versions`);
    return { ids: [id, "1"] };
  },

  "forward.register": async (owner) => ({
    body: { type: "skill", resource: { id: (await aSkill(owner)).id } },
  }),

  "vaults.create": () => ({ body: vault }),
  "vaults.update": async (owner) => ({ ...ids(await aVault(owner)), body: { display_name: "other" } }),
  "vaults.share": async (owner) => ({ ...ids(await aVault(owner)), body: {} }),
  "vaults.unshare": async (owner) => ids(await aVault(owner)),
  "vaults.archive": async (owner) => ids(await aVault(owner)),
  "vaults.delete": async (owner) => ids(await aVault(owner)),

  "vaultCredentials.create": async (owner) => ({ ...ids(await aVault(owner)), body: credential }),
  "vaultCredentials.update": async (owner) => ({
    ...(await aCredential(owner)),
    body: { auth: { type: "static_bearer", token: "new-token" } },
  }),
  "vaultCredentials.archive": (owner) => aCredential(owner),
  "vaultCredentials.delete": (owner) => aCredential(owner),

  "connections.create": () => ({ body: connection }),
  "connections.update": async (owner) => ({
    ...ids(await aConnection(owner)),
    body: { display_name: "other" },
  }),
  "connections.test": async (owner) => ids(await aConnection(owner)),
  "connections.delete": async (owner) => ids(await aConnection(owner)),

  "webhooks.create": () => ({ body: webhook }),
  "webhooks.update": async (owner) => ({ ...ids(await aWebhook(owner)), body: { name: "other" } }),
  "webhooks.enable": async (owner) => {
    const example = ids(await aWebhook(owner));
    await owner.post(`/webhooks/${example.ids[0]}/disable`);
    return example;
  },
  "webhooks.disable": async (owner) => ids(await aWebhook(owner)),
  "webhooks.test": async (owner) => ids(await aWebhook(owner)),
  "webhooks.rotateSecret": async (owner) => ids(await aWebhook(owner)),
  "webhooks.redeliver": async (owner) => {
    const { id } = await aWebhook(owner);
    await aVault(owner);
    return { ids: [id, (await owner.get(`/webhooks/${id}/deliveries`)).body.data[0].id] };
  },
  "webhooks.delete": async (owner) => ids(await aWebhook(owner)),

  "deployments.create": async (owner) => ({ body: await deployment(owner) }),
  "deployments.update": async (owner) => ({ ...ids(await aDeployment(owner)), body: { name: "other" } }),
  "deployments.share": async (owner) => ({ ...ids(await aDeployment(owner)), body: {} }),
  "deployments.unshare": async (owner) => ids(await aDeployment(owner)),
  "deployments.pause": async (owner) => ids(await aDeployment(owner)),
  "deployments.unpause": async (owner) => ids(await aDeployment(owner)),
  "deployments.run": async (owner) => ids(await aDeployment(owner)),
  "deployments.archive": async (owner) => ids(await aDeployment(owner)),

  "deploymentTriggers.create": async (owner) => ({ ...ids(await aDeployment(owner)), body: trigger }),
  "deploymentTriggers.update": async (owner) => ({ ...(await aTrigger(owner)), body: { name: "other" } }),
  "deploymentTriggers.delete": (owner) => aTrigger(owner),

  "memoryStores.create": () => ({ body: memoryStore }),
  "memoryStores.update": async (owner) => ({ ...ids(await aMemoryStore(owner)), body: { name: "other" } }),
  "memoryStores.share": async (owner) => ({ ...ids(await aMemoryStore(owner)), body: {} }),
  "memoryStores.unshare": async (owner) => ids(await aMemoryStore(owner)),
  "memoryStores.archive": async (owner) => ids(await aMemoryStore(owner)),
  "memoryStores.delete": async (owner) => ids(await aMemoryStore(owner)),

  "memories.create": async (owner) => ({ ...ids(await aMemoryStore(owner)), body: memory }),
  "memories.update": async (owner) => ({ ...memoryIds(await aMemory(owner)), body: { content: "other" } }),
  "memories.delete": async (owner) => memoryIds(await aMemory(owner)),

  "memoryVersions.redact": async (owner) => {
    const { memory_store_id: storeId, id, memory_version_id: versionId } = await aMemory(owner);
    await owner.made(`/memory_stores/${storeId}/memories/${id}`, { content: "other" });
    return { ids: [storeId, versionId] };
  },
};

const agent = { name: "example", model: "rehearsal/steps" };
const rule = { tool_name: "Bash", command_prefix: "npm test" };
const message = { type: "user.message", content: [{ type: "text", text: "Hello" }] };
const repository = {
  type: "hosted_repository",
  url: "https://github.com/berth/example",
  authorization_token: "a-token",
};
const vault = { display_name: "example" };
const connection = { display_name: "example", auth: { type: "token", api: "github", token: "a-token" } };
const webhook = { url: "https://hook.invalid/x", enabled_events: ["vault.created"] };
const trigger = { type: "signed", name: "example" };
const memoryStore = { name: "example" };
const memory = { path: "/example.md", content: "content" };
const credential = {
  auth: { type: "static_bearer", mcp_server_url: "https://mcp.example/", token: "a-token" },
};

async function aUserCode(owner: Caller): Promise<Example> {
  return { body: { user_code: (await owner.made("/device_authorizations", {})).user_code } };
}

function anAgent(owner: Caller): Promise<Wire> {
  return owner.made("/agents", agent);
}

function anEnvironment(owner: Caller): Promise<Wire> {
  return owner.made("/environments", { name: unique() });
}

async function aSession(owner: Caller, fields: Record<string, unknown> = {}): Promise<Wire> {
  const [{ id }, environment] = [await anAgent(owner), await anEnvironment(owner)];
  return await owner.made("/sessions", { agent: id, environment_id: environment.id, ...fields });
}

async function aFile(owner: Caller): Promise<Wire> {
  return (await owner.upload("content")).body;
}

function skillForm(name: string): Part[] {
  return [{ name: "files[]", filename: `${name}/SKILL.md`, content: manual(name) }];
}

async function aSkill(owner: Caller): Promise<Wire> {
  return (await postSkill(owner, unique().replace(" ", "-"))).body;
}

function aVault(owner: Caller): Promise<Wire> {
  return owner.made("/vaults", vault);
}

function aConnection(owner: Caller): Promise<Wire> {
  return owner.made("/connections", connection);
}

function aWebhook(owner: Caller): Promise<Wire> {
  return owner.made("/webhooks", webhook);
}

async function deployment(owner: Caller): Promise<object> {
  const [{ id }, environment] = [await anAgent(owner), await anEnvironment(owner)];
  const schedule = { type: "cron", expression: "0 3 * * *", timezone: "UTC" };
  return { name: "example", agent: id, environment_id: environment.id, initial_events: [message], schedule };
}

async function aDeployment(owner: Caller): Promise<Wire> {
  return await owner.made("/deployments", await deployment(owner));
}

async function aTrigger(owner: Caller): Promise<Example> {
  const { id } = await aDeployment(owner);
  return { ids: [id, (await owner.made(`/deployments/${id}/triggers`, trigger)).id] };
}

async function aCredential(owner: Caller): Promise<Example> {
  const { id } = await aVault(owner);
  return { ids: [id, (await owner.made(`/vaults/${id}/credentials`, credential)).id] };
}

function aMemoryStore(owner: Caller): Promise<Wire> {
  return owner.made("/memory_stores", memoryStore);
}

async function aMemory(owner: Caller): Promise<Wire> {
  return await owner.made(`/memory_stores/${(await aMemoryStore(owner)).id}/memories`, memory);
}

function memoryIds({ memory_store_id: storeId, id }: Wire): { ids: string[] } {
  return { ids: [storeId, id] };
}

function ids({ id }: Wire): { ids: string[] } {
  return { ids: [id] };
}

function unique(): string {
  return `example ${newUuid()}`;
}
