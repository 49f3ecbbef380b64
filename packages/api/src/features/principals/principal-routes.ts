import { formatId, parseId, principalRoutes } from "@berth/contract";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { principalNames } from "./principal-names-store.ts";

export function mountPrincipals(app: HttpApp): void {
  mount(app, principalRoutes.get, async ({ principal, db }, { query }) => {
    const uuids = query["ids[]"].flatMap((id) => parseId("user", id) ?? parseId("service_account", id) ?? []);
    const rows = await principalNames(db.read, principal.organizationId, uuids);
    return {
      type: "principals" as const,
      data: rows.map(({ type, id, name }) => ({ type, id: formatId(type, id), name })),
    };
  });
}
