import { formatId, tokenRoutes } from "@berth/contract";
import manifest from "../../../package.json" with { type: "json" };
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { listPage } from "../../request/page.ts";
import { createToken } from "./create-token.ts";
import { currentToken } from "./current-token-store.ts";
import { revokeToken } from "./revoke-token.ts";
import { listTokens, toToken } from "./token-store.ts";

export function mountTokens(app: HttpApp): void {
  mount(app, tokenRoutes.create, ({ principal, db }, { body }) => createToken(db, principal, body));
  mount(app, tokenRoutes.list, (request, input) =>
    listPage(request, input, "token", toToken, (range) =>
      listTokens(request.db.read, request.principal, range),
    ),
  );
  mount(app, tokenRoutes.current, async ({ principal, db }) => ({
    ...(await currentToken(db.read, principal)),
    service_version: manifest.version,
  }));
  mount(app, tokenRoutes.delete, async ({ principal, db, afterCommit }, { params }) => {
    const { id, descendants } = await revokeToken(db, principal, params.token_id);
    afterCommit(() => app.recentTokens.clear());
    return {
      id: formatId("token", id),
      type: "token_deleted" as const,
      revoked_descendants: descendants.map((descendant) => formatId("token", descendant)),
    };
  });
}
