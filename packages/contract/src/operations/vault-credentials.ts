import { get, post, remove } from "./operation.ts";

const all = "/vaults/{vault_id}/credentials";
const one = `${all}/{credential_id}`;

export const vaultCredentials = {
  create: post("vaultCredentials.create", all, "Add a credential to a vault", {
    conflicts: [
      {
        status: 409,
        type: "conflict_error",
        when: "The vault has a credential for this server or of this name, or is full.",
      },
    ],
  }),
  list: get("vaultCredentials.list", all, "List a vault's credentials", { answers: "page" }),
  get: get("vaultCredentials.get", one, "Get a credential"),
  update: post("vaultCredentials.update", one, "Update a credential, or rotate its secret"),
  delete: remove("vaultCredentials.delete", one, "Delete a credential"),
  archive: post("vaultCredentials.archive", `${one}/archive`, "Archive a credential", { body: "none" }),
} as const;
