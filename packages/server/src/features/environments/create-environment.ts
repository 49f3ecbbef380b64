import {
  type Environment,
  type environmentRoutes,
  type Input,
  newUuid,
  uuidTimestamp,
} from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import { ownerOf, type Principal } from "../../http/principal.ts";
import { environmentAnswer, insertEnvironment } from "./environment-store.ts";

type Body = Input<typeof environmentRoutes.create>["body"];
type Networking = NonNullable<NonNullable<Body["config"]>["networking"]>;

const defaultResources = { cpus: 2, memory_mb: 4_096, pids: 512 };

/** Makes an environment with every default filled in. @throws errors.nameTaken */
export async function createEnvironment(
  db: Queryable,
  principal: Principal,
  body: Body,
): Promise<Environment> {
  const environment = {
    id: newUuid(),
    ...ownerOf(principal),
    name: body.name,
    description: body.description ?? null,
    config: { type: "cloud", networking: resolveNetworking(body.config?.networking) } as const,
    environment_variables: body.environment_variables ?? {},
    resources: resolveResources(body.resources),
    metadata: body.metadata ?? {},
  };
  if (!(await insertEnvironment(db, environment))) throw errors.nameTaken("environment", body.name);
  const updatedAt = new Date(uuidTimestamp(environment.id));
  return environmentAnswer({ ...environment, archived_at: null, updated_at: updatedAt });
}

/** Without a word, a session reaches its own repositories' hosts and nothing else. */
function resolveNetworking(given: Networking | null | undefined): Environment["config"]["networking"] {
  if (given?.type === "unrestricted") return { type: "unrestricted" };
  return {
    type: "limited",
    allowed_hosts: (given?.allowed_hosts ?? []).map((host) => host.toLowerCase()),
    allow_package_managers: false,
    allow_mcp_servers: false,
  };
}

function resolveResources(given: Body["resources"]): Environment["resources"] {
  return {
    cpus: given?.cpus ?? defaultResources.cpus,
    memory_mb: given?.memory_mb ?? defaultResources.memory_mb,
    pids: given?.pids ?? defaultResources.pids,
  };
}
