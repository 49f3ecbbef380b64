import { get, post, remove } from "./operation.ts";

export const vaults = {
  create: post("vaults.create", "/vaults", "Create a vault"),
  list: get("vaults.list", "/vaults", "List vaults", { answers: "page" }),
  get: get("vaults.get", "/vaults/{vault_id}", "Get a vault"),
  update: post("vaults.update", "/vaults/{vault_id}", "Update a vault"),
  delete: remove("vaults.delete", "/vaults/{vault_id}", "Delete a vault", {
    conflicts: [
      {
        status: 409,
        type: "conflict_error",
        when: "A session that is neither archived nor terminated uses the vault.",
      },
    ],
  }),
  archive: post("vaults.archive", "/vaults/{vault_id}/archive", "Archive a vault", { body: "none" }),
} as const;
