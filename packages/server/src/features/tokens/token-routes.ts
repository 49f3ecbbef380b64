import { formatId, parseId, tokenRoutes } from "@berth/contract";
import type { DatabaseAccess } from "../../db/database-access.ts";
import { errors } from "../../http/errors.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { keysetPlace, pageAnswer } from "../../http/page.ts";
import { type Principal, reaches } from "../../http/principal.ts";
import { createToken } from "./create-token.ts";
import { getToken, listTokens, revokeToken, tokenAnswer } from "./token-store.ts";

export function mountTokens(app: HttpApp): void {
  mount(app, tokenRoutes.create, ({ principal, db }, { body }) => createToken(db.write, principal, body));
  mount(app, tokenRoutes.list, async (context, input) => {
    const place = keysetPlace(context, input, "token");
    const rows = await listTokens(context.db.read, context.principal, place);
    return pageAnswer(context, input, place, "token", rows, tokenAnswer);
  });
  mount(app, tokenRoutes.delete, async ({ principal, db }, { params }) => {
    const id = await revocable(db, principal, params.token_id);
    await revokeToken(db.write, id);
    return { id: formatId("token", id), type: "token_deleted" as const };
  });
}

/** A token of the organization is its admins' to revoke. */
async function revocable(db: DatabaseAccess, principal: Principal, tokenId: string): Promise<string> {
  const id = parseId("token", tokenId);
  const row = id === null ? null : await getToken(db.read, id);
  if (row === null) throw errors.notFound("token", tokenId);
  if (!reaches(principal, row)) throw errors.notYours("token", tokenId);
  const own = row.principal_id === principal.id;
  if (!own && principal.role !== "admin") throw errors.adminsOnly("revoke tokens of the organization");
  return row.id;
}
