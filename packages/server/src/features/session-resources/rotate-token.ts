import { type Answer, type Input, parseId, type sessionResourceRoutes } from "@berth/contract";
import type { DatabaseAccess } from "../../db/pool.ts";
import { errors } from "../../http/errors.ts";
import type { Principal } from "../../http/principal.ts";
import type { SecretBox } from "../../secrets/secret-box.ts";
import { reachAndLock } from "../sessions/reach-session.ts";
import { resourceAnswer } from "./resource-row.ts";
import { sealSecret } from "./resource-secret.ts";
import { getResource, updateSecret } from "./resource-store.ts";

type RotateInput = Input<typeof sessionResourceRoutes.rotate>;

/** Replaces a repository's token: the agent's next command has the new one. */
export async function rotateToken(
  db: DatabaseAccess,
  secrets: SecretBox,
  principal: Principal,
  { params, body }: RotateInput,
): Promise<Answer<typeof sessionResourceRoutes.rotate>> {
  const row = await db.transaction(async (tx) => {
    const session = await reachAndLock(tx, principal, params.session_id);
    const id = parseId("session_resource", params.resource_id);
    const resource = id === null ? null : await getResource(tx, session.id, id);
    if (resource === null) throw errors.notFound("resource", params.resource_id);
    if (resource.type !== "hosted_repository") throw errors.notRotatable();
    if (session.terminated) throw errors.sessionTerminated(params.session_id);
    if (session.archived) throw errors.sessionArchived(params.session_id);
    return await updateSecret(tx, resource.id, sealSecret(secrets, resource.id, body.authorization_token));
  });
  const answer = resourceAnswer(row);
  if (answer.type !== "hosted_repository") throw new Error("A repository changed its kind.");
  return answer;
}
