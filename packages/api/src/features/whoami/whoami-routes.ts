import { formatId, type Whoami, whoamiRoutes } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { readWhoami, type WhoamiRow } from "./whoami-store.ts";

export function mountWhoami(app: HttpApp): void {
  mount(app, whoamiRoutes.get, async ({ principal, db }) =>
    toWhoami(principal, await readWhoami(db.read, principal)),
  );
}

function toWhoami({ id, kind, role, scopes, signedInBy, ...ids }: Principal, row: WhoamiRow): Whoami {
  return {
    type: "whoami",
    principal: { id: formatId(kind, id), type: kind, name: row.name },
    organization: { id: formatId("organization", ids.organizationId), name: row.organization },
    role,
    admins: row.admins,
    scopes: [...scopes] as Whoami["scopes"],
    signed_in_by: signedInBy ?? "token",
    token_id: formatId("token", ids.tokenId),
    token_name: row.token_name,
    expires_at: row.expires_at?.toISOString() ?? null,
  };
}
