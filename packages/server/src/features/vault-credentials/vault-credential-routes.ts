import { vaultCredentialRoutes } from "@berth/contract";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { keysetPlace, pageAnswer } from "../../http/page.ts";
import type { SecretBox } from "../../secrets/secret-box.ts";
import { reachVault } from "../vaults/reach-vault.ts";
import { addCredential } from "./add-credential.ts";
import {
  archiveCredential,
  credentialAnswer,
  deleteCredential,
  listCredentials,
} from "./credential-store.ts";
import { reachCredential } from "./reach-credential.ts";
import { updateCredential } from "./update-credential.ts";

export function mountVaultCredentials(app: HttpApp, secrets: SecretBox): void {
  mount(app, vaultCredentialRoutes.create, async ({ principal, db }, input) =>
    credentialAnswer(await addCredential(db, secrets, principal, input)),
  );
  mount(app, vaultCredentialRoutes.list, async (context, input) => {
    const vault = await reachVault(context.db.read, context.principal, input.params.vault_id);
    const place = keysetPlace(context, input, "vault_credential");
    const filters = { archived: input.query.include_archived };
    const rows = await listCredentials(context.db.read, vault.id, place, filters);
    return pageAnswer(context, input, place, "vault_credential", rows, credentialAnswer);
  });
  mount(app, vaultCredentialRoutes.get, async ({ principal, db }, { params }) =>
    credentialAnswer(await reachCredential(db.read, principal, params)),
  );
  mount(app, vaultCredentialRoutes.update, async ({ principal, db }, input) =>
    credentialAnswer(await updateCredential(db, secrets, principal, input)),
  );
  mount(app, vaultCredentialRoutes.delete, async ({ principal, db }, { params }) => {
    await deleteCredential(db.write, (await reachCredential(db.read, principal, params)).id);
    return { id: params.credential_id, type: "vault_credential_deleted" as const };
  });
  mount(app, vaultCredentialRoutes.archive, async ({ principal, db }, { params }) => {
    await archiveCredential(db.write, (await reachCredential(db.read, principal, params)).id);
    return credentialAnswer(await reachCredential(db.read, principal, params));
  });
}
