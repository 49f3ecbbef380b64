import type { AnyJson, Api } from "../../acceptance/harness/api.ts";
import { makeFile, makeSkill, skillForm } from "../../acceptance/harness/fixtures.ts";

/** One object of every noun, all made by one caller. */
export interface World {
  /** By the name of the path parameter that each stands for. */
  ids: Record<string, string>;
  /** The text that every free field of every object holds. */
  canary: string;
}

/** What the objects of a tenant are made with, and the ids of those that were made before. */
interface Making {
  api: Api;
  canary: string;
  metadata: Record<string, string>;
  /** Makes its token: an admin, when the objects are an organization's. */
  issuer: Api | undefined;
  ids: Record<string, string>;
}

/** One after another: each answers the ids of what it made. */
const makers: ((making: Making) => Promise<Record<string, string>>)[] = [
  makeAgentAndEnvironment,
  makeVault,
  makeSkillAndVersion,
  makeMemory,
  makeFiles,
  makeSession,
  makeToken,
];

/**
 * Makes the objects of one tenant. `canary` is lower-case letters and digits. `issuer` makes its token: an admin, when
 * the objects are an organization's.
 */
export async function makeWorld(api: Api, canary: string, issuer?: Api): Promise<World> {
  const making: Making = { api, canary, metadata: { canary }, issuer, ids: {} };
  for (const make of makers) Object.assign(making.ids, await make(making));
  return { canary, ids: making.ids };
}

async function makeAgentAndEnvironment({ api, canary, metadata }: Making) {
  const agent = await api.ok("POST", "/agents", {
    name: canary,
    model: "rehearsal/steps",
    description: canary,
    system: canary,
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

async function makeVault({ api, canary, metadata }: Making) {
  const vault = await api.ok("POST", "/vaults", { display_name: canary, metadata });
  const auth = { type: "static_bearer", mcp_server_url: `https://${canary}.example/mcp`, token: canary };
  const credential = await api.ok("POST", `/vaults/${vault.id}/credentials`, {
    display_name: canary,
    metadata,
    auth,
  });
  return { vault_id: vault.id, credential_id: credential.id };
}

/** Two versions, so that one can be deleted. */
async function makeSkillAndVersion({ api, canary, metadata }: Making) {
  const skill = await makeSkill(api, canary, { metadata });
  await makeSkill(api, canary, { path: `/skills/${skill.id}/versions` });
  return { skill_id: skill.id, version: "1" };
}

async function makeMemory({ api, canary, metadata }: Making) {
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

/** The second file is mounted nowhere, so that it can be deleted and mounted. */
async function makeFiles({ api, canary, metadata }: Making) {
  const mounted = await makeFile(api, canary, `${canary}.txt`, metadata);
  const free = await makeFile(api, `${canary} again`, `${canary}-2.txt`, metadata);
  return { mounted_file_id: mounted.id, file_id: free.id };
}

async function makeSession({ api, canary, metadata, ids }: Making) {
  const session = await api.ok("POST", "/sessions", {
    agent: ids.agent_id,
    environment_id: ids.environment_id,
    title: canary,
    metadata,
    environment_variables: { CANARY: canary },
    resources: [{ type: "file", file_id: ids.mounted_file_id }],
  });
  return { session_id: session.id, resource_id: session.resources[0].id };
}

async function makeToken({ api, canary, issuer }: Making) {
  const kind = issuer === undefined ? "pat" : "sat";
  const token = await (issuer ?? api).ok("POST", "/tokens", { name: canary, kind });
  return { token_id: token.id };
}

/** A world of ids of the right form that nothing has. */
export function absentWorld({ ids, canary }: World): World {
  const absent = Object.entries(ids).map(([name, id]) => [
    name,
    id.replace(/_[^_]*$/, "_01zzzzzzzzzzzzzzzzzzzzzzzz"),
  ]);
  return { ids: Object.fromEntries(absent), canary };
}

/** The body of the operation names objects, so that who reaches them decides. */
export function bodyNamesObjects(operation: string): boolean {
  return ["sessions.create", "forward.register"].includes(operation);
}

/** A body that an operation takes, once its objects are there. */
export function fittingBody(operation: string, { ids, canary }: World): AnyJson {
  const bodies: Record<string, () => AnyJson> = {
    "tokens.create": () => ({ name: canary }),
    "agents.create": () => ({ name: canary, model: "rehearsal/steps" }),
    "agents.update": () => ({ version: 1, description: "other" }),
    "environments.create": () => ({ name: `${canary} ${Math.random()}` }),
    "vaults.create": () => ({ display_name: canary }),
    "vaults.update": () => ({ display_name: canary }),
    "vaultCredentials.create": () => ({
      auth: { type: "static_bearer", mcp_server_url: "https://other.example/mcp", token: canary },
    }),
    "vaultCredentials.update": () => ({ display_name: canary }),
    "environments.update": () => ({ description: "other" }),
    "forward.register": () => ({ type: "skill", resource: { id: ids.skill_id } }),
    "skills.update": () => ({ display_title: "other" }),
    "sessions.create": () => ({ agent: ids.agent_id, environment_id: ids.environment_id }),
    "sessions.update": () => ({ title: "other" }),
    "sessionResources.add": () => ({ type: "file", file_id: ids.file_id }),
    "sessionResources.rotate": () => ({ authorization_token: "other" }),
    "memoryStores.create": () => ({ name: canary }),
    "memoryStores.update": () => ({ description: "other" }),
    "memories.create": () => ({ path: `/${Math.random()}`, content: canary }),
    "memories.update": () => ({ content: "other" }),
    "events.send": () => ({ events: [{ type: "user.interrupt" }] }),
  };
  return bodies[operation]?.();
}

/** A form that an operation takes. */
export function fittingForm(operation: string, { canary }: World): FormData {
  if (operation === "skills.create") return skillForm(`other-${Date.now()}-${++forms}`);
  if (operation === "skills.createVersion") return skillForm(canary);
  const form = new FormData();
  const content: Record<string, string> = { "files.upload": canary };
  form.set("file", new Blob([content[operation] ?? ""]), `${canary}.txt`);
  return form;
}

let forms = 0;
