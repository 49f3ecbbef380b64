import { newUuid, vaultRoutes } from "@berth/contract";
import { errors } from "../../http/errors.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { keysetPlace, pageAnswer } from "../../http/page.ts";
import { ownerOf } from "../../http/principal.ts";
import { reachAndLockVault, reachVault } from "./reach-vault.ts";
import { updateVault } from "./update-vault.ts";
import { archiveVault, deleteVault, insertVault, listVaults, vaultAnswer } from "./vault-store.ts";

export function mountVaults(app: HttpApp): void {
  mount(app, vaultRoutes.create, async ({ principal, db }, { body }) => {
    const { display_name, metadata } = body;
    const vault = { id: newUuid(), ...ownerOf(principal), display_name, metadata: metadata ?? {} };
    return vaultAnswer(await insertVault(db.write, vault));
  });
  mount(app, vaultRoutes.list, async (context, input) => {
    const place = keysetPlace(context, input, "vault");
    const filters = { archived: input.query.include_archived };
    const rows = await listVaults(context.db.read, context.principal, place, filters);
    return pageAnswer(context, input, place, "vault", rows, vaultAnswer);
  });
  mount(app, vaultRoutes.get, async ({ principal, db }, { params }) => {
    return vaultAnswer(await reachVault(db.read, principal, params.vault_id));
  });
  mount(app, vaultRoutes.update, async ({ principal, db }, input) =>
    vaultAnswer(await updateVault(db, principal, input)),
  );
  mount(app, vaultRoutes.delete, async ({ principal, db }, { params }) => {
    await db.transaction(async (tx) => {
      const { id } = await reachAndLockVault(tx, principal, params.vault_id);
      if (await deleteVault(tx, id)) return;
      throw errors.inUse("vault", params.vault_id, "sessions that are neither archived nor terminated");
    });
    return { id: params.vault_id, type: "vault_deleted" as const };
  });
  mount(app, vaultRoutes.archive, async ({ principal, db }, { params }) => {
    await db.transaction(async (tx) => {
      await archiveVault(tx, (await reachAndLockVault(tx, principal, params.vault_id)).id);
    });
    return vaultAnswer(await reachVault(db.read, principal, params.vault_id));
  });
}
