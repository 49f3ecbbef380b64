import type { Input, ResponseOf, sessionResourceRoutes } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { resourceSecret, type SecretBox } from "@berth/store/secrets";
import { checkNotEnded, requireSessionForUpdate } from "../state/session-state-store.ts";
import { type ResourceRow, toRepositoryResource } from "./resource-row.ts";
import { requireResource, updateSecret } from "./resource-store.ts";

interface RotateInput {
  params: Input<typeof sessionResourceRoutes.rotate>["params"];
  body: Exclude<Input<typeof sessionResourceRoutes.rotate>["body"], { retry: true }>;
}

/**
 * Replaces a repository's token or password, which the agent's next command uses.
 *
 * @throws errors.notRotatable, errors.wrongSecretField, errors.sessionTerminated, errors.sessionArchived
 */
export async function rotateToken(
  db: DatabaseAccess,
  secrets: SecretBox,
  principal: Principal,
  { params, body }: RotateInput,
): Promise<ResponseOf<typeof sessionResourceRoutes.rotate>> {
  return await db.transaction(async (tx) => {
    const session = await requireSessionForUpdate(tx, principal, params.session_id);
    const resource = await requireResource(tx, session.id, params.resource_id);
    if (resource.connection_id !== null) throw errors.connectionRotates();
    const secret = secretFor(resource.type, body);
    checkNotEnded(session, params.session_id);
    const sealed = secrets.seal(resourceSecret(resource.id), secret);
    return toRepositoryResource(await updateSecret(tx, resource.id, sealed));
  });
}

/** Returns the secret from the body: a token for a hosted repository, a password for any other. */
function secretFor(type: ResourceRow["type"], body: RotateInput["body"]): string {
  const field = SECRET_FIELDS[type];
  if (field === null) throw errors.notRotatable();
  if (field === "password" && "password" in body) return body.password;
  if (field === "authorization_token" && "authorization_token" in body) return body.authorization_token;
  throw errors.wrongSecretField(field, "password" in body ? "password" : "authorization_token", type);
}

const SECRET_FIELDS = {
  hosted_repository: "authorization_token",
  git_repository: "password",
  file: null,
  memory_store: null,
} as const satisfies Record<ResourceRow["type"], string | null>;
