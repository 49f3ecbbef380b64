import { type Input, parseId, type ResponseOf, type sessionResourceRoutes } from "@berth/contract";
import type { DatabaseAccess } from "../../db/database-access.ts";
import { errors } from "../../http/errors.ts";
import type { Principal } from "../../http/principal.ts";
import { resourceSecret } from "../../secrets/sealed-columns.ts";
import type { SecretBox } from "../../secrets/secret-box.ts";
import { reachAndLock } from "../sessions/reach-session.ts";
import { type ResourceRow, resourceAnswer } from "./resource-row.ts";
import { getResource, updateSecret } from "./resource-store.ts";

type RotateInput = Input<typeof sessionResourceRoutes.rotate>;

/** Replaces a repository's token or password: the agent's next command has the new one. */
export async function rotateToken(
  db: DatabaseAccess,
  secrets: SecretBox,
  principal: Principal,
  { params, body }: RotateInput,
): Promise<ResponseOf<typeof sessionResourceRoutes.rotate>> {
  const row = await db.transaction(async (tx) => {
    const session = await reachAndLock(tx, principal, params.session_id);
    const id = parseId("session_resource", params.resource_id);
    const resource = id === null ? null : await getResource(tx, session.id, id);
    if (resource === null) throw errors.notFound("resource", params.resource_id);
    const secret = secretFor(resource.type, body);
    if (session.terminated) throw errors.sessionTerminated(params.session_id);
    if (session.archived) throw errors.sessionArchived(params.session_id);
    return await updateSecret(tx, resource.id, secrets.seal(resourceSecret(resource.id), secret));
  });
  const answer = resourceAnswer(row);
  if (answer.type === "file" || answer.type === "memory_store")
    throw new Error("A repository changed its kind.");
  return answer;
}

/** A hosted repository has a token, any other a password. */
function secretFor(type: ResourceRow["type"], body: RotateInput["body"]): string {
  const field = fieldOf[type];
  if (field === null) throw errors.notRotatable();
  if (field === "password" && "password" in body) return body.password;
  if (field === "authorization_token" && "authorization_token" in body) return body.authorization_token;
  throw errors.wrongSecretField(field, "password" in body ? "password" : "authorization_token", type);
}

const fieldOf = {
  hosted_repository: "authorization_token",
  git_repository: "password",
  file: null,
  memory_store: null,
} as const satisfies Record<ResourceRow["type"], string | null>;
