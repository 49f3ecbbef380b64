import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { readShares, shareObject, unshareObject } from "./share-object.ts";
import { SHARED_KINDS } from "./shared-kinds.ts";

export function mountSharing(app: HttpApp): void {
  for (const shared of SHARED_KINDS) {
    const { routes } = shared;
    mount(app, routes.share, ({ db, principal }, { params, body }) =>
      shareObject(db, principal, shared, idOf(params), body),
    );
    mount(app, routes.unshare, ({ db, principal }, { params, query }) =>
      unshareObject(db, principal, shared, idOf(params), query.user),
    );
    mount(app, routes.shares, ({ db, principal }, { params }) =>
      readShares(db.read, principal, shared, idOf(params)),
    );
  }
}

/** Returns the only parameter of an object's path. */
function idOf(params: Record<string, string>): string {
  const [id = ""] = Object.values(params);
  return id;
}
