import { vaultCredentialRoutes } from "@berth/contract";
import type { SecretBox } from "@berth/store/secrets";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { listPage } from "../../request/page.ts";
import { requireVault } from "../vaults/vault-store.ts";
import { addCredential } from "./add-credential.ts";
import {
  archiveCredential,
  deleteCredential,
  listCredentials,
  requireCredential,
  toVaultCredential,
} from "./credential-store.ts";
import { updateCredential } from "./update-credential.ts";

export function mountVaultCredentials(app: HttpApp, secrets: SecretBox): void {
  mount(app, vaultCredentialRoutes.create, async ({ principal, db }, input) =>
    toVaultCredential(await addCredential(db, secrets, principal, input)),
  );
  mount(app, vaultCredentialRoutes.list, async (request, input) => {
    const vault = await requireVault(request.db.read, request.principal, input.params.vault_id);
    return await listPage(request, input, "vault_credential", toVaultCredential, (range) =>
      listCredentials(request.db.read, vault.id, range, input.query),
    );
  });
  mount(app, vaultCredentialRoutes.get, async ({ principal, db }, { params }) =>
    toVaultCredential(await requireCredential(db.read, principal, params)),
  );
  mount(app, vaultCredentialRoutes.update, async ({ principal, db }, input) =>
    toVaultCredential(await updateCredential(db, secrets, principal, input)),
  );
  mount(app, vaultCredentialRoutes.delete, async ({ principal, db }, { params }) => {
    await deleteCredential(db.write, (await requireCredential(db.read, principal, params)).id);
    return { id: params.credential_id, type: "vault_credential_deleted" as const };
  });
  mount(app, vaultCredentialRoutes.archive, async ({ principal, db }, { params }) => {
    await archiveCredential(db.write, (await requireCredential(db.read, principal, params)).id);
    return toVaultCredential(await requireCredential(db.read, principal, params));
  });
}
