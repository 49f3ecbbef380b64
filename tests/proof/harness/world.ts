import type { Api, Wire } from "../../acceptance/harness/api.ts";
import { makeFile } from "../../acceptance/harness/fixtures.ts";

/** One object of every noun, all made by one caller. */
export interface World {
  /** By the name of the path parameter that each stands for. */
  ids: Record<string, string>;
  /** The text that every free field of every object holds. */
  canary: string;
}

/**
 * Makes the objects of one tenant. `canary` is lower-case letters and digits. `issuer` makes its token: an admin, when
 * the objects are an organization's.
 */
export async function makeWorld(api: Api, canary: string, issuer?: Api): Promise<World> {
  const metadata = { canary };
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
  const file = await makeFile(api, canary, `${canary}.txt`, metadata);
  const spare = await makeFile(api, `${canary} again`, `${canary}-2.txt`, metadata);
  const session = await api.ok("POST", "/sessions", {
    agent: agent.id,
    environment_id: environment.id,
    title: canary,
    metadata,
    environment_variables: { CANARY: canary },
    resources: [{ type: "file", file_id: file.id }],
  });
  const store = await api.ok("POST", "/memory_stores", { name: canary, description: canary, metadata });
  const memories = `/memory_stores/${store.id}/memories`;
  const memory = await api.ok("POST", memories, { path: `/${canary}`, content: `${canary} before` });
  await api.ok("POST", `${memories}/${memory.id}`, { content: canary });
  const kind = issuer === undefined ? "pat" : "sat";
  const token = await (issuer ?? api).ok("POST", "/tokens", { name: canary, kind });
  return {
    canary,
    ids: {
      agent_id: agent.id,
      environment_id: environment.id,
      file_id: spare.id,
      session_id: session.id,
      resource_id: session.resources[0].id,
      token_id: token.id,
      memory_store_id: store.id,
      memory_id: memory.id,
      memory_version_id: memory.memory_version_id,
    },
  };
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
  return ["sessions.create"].includes(operation);
}

/** A body that an operation takes, once its objects are there. */
export function fittingBody(operation: string, { ids, canary }: World): Wire {
  const bodies: Record<string, () => Wire> = {
    "tokens.create": () => ({ name: canary }),
    "agents.create": () => ({ name: canary, model: "rehearsal/steps" }),
    "agents.update": () => ({ version: 1, description: "other" }),
    "environments.create": () => ({ name: `${canary} ${Math.random()}` }),
    "environments.update": () => ({ description: "other" }),
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
  const form = new FormData();
  const content: Record<string, string> = { "files.upload": canary };
  form.set("file", new Blob([content[operation] ?? ""]), `${canary}.txt`);
  return form;
}
