import { newUuid, vaultRoutes } from "@berth/contract";
import { ownedBy } from "@berth/store/access";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { listPage } from "../../request/page.ts";
import { deleteVault } from "./delete-vault.ts";
import { updateVault } from "./update-vault.ts";
import {
  archiveVault,
  insertVault,
  listVaults,
  requireVault,
  requireVaultForUpdate,
  toVault,
} from "./vault-store.ts";

export function mountVaults(app: HttpApp): void {
  mount(app, vaultRoutes.create, async ({ principal, db }, { body }) => {
    const { display_name, metadata, visibility } = body;
    const vault = {
      id: newUuid(),
      ...ownedBy(principal, visibility),
      display_name,
      metadata: metadata ?? {},
    };
    return toVault(await insertVault(db.write, vault));
  });
  mount(app, vaultRoutes.list, (request, input) =>
    listPage(request, input, "vault", toVault, (range) =>
      listVaults(request.db.read, request.principal, range, input.query),
    ),
  );
  mount(app, vaultRoutes.get, async ({ principal, db }, { params }) =>
    toVault(await requireVault(db.read, principal, params.vault_id)),
  );
  mount(app, vaultRoutes.update, async ({ principal, db }, input) =>
    toVault(await updateVault(db, principal, input)),
  );
  mount(app, vaultRoutes.delete, async ({ principal, db }, { params }) => {
    await deleteVault(db, principal, params.vault_id);
    return { id: params.vault_id, type: "vault_deleted" as const };
  });
  mount(app, vaultRoutes.archive, async ({ principal, db }, { params }) => {
    await db.transaction(async (tx) => {
      await archiveVault(tx, (await requireVaultForUpdate(tx, principal, params.vault_id)).id);
    });
    return toVault(await requireVault(db.read, principal, params.vault_id));
  });
}
