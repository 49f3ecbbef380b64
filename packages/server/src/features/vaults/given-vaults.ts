import { type Input, MAX_SESSION_VAULTS, type sessionRoutes } from "@berth/contract";
import { errors } from "../../http/errors.ts";

type Body = Pick<Input<typeof sessionRoutes.create>["body"], "vault_ids" | "resources">;

/**
 * The ids of a new session's vaults: those of `vault_ids`, then those among its resources, in the order in which they were given.
 *
 * @throws errors.invalid at the first resource whose vault is there already, or is one too many.
 */
export function givenVaults({ vault_ids, resources }: Body): string[] {
  const ids = [...(vault_ids ?? [])];
  for (const [index, resource] of (resources ?? []).entries()) {
    if (resource.type !== "vault") continue;
    const param = `resources[${index}].vault_id`;
    if (ids.includes(resource.vault_id)) {
      throw errors.invalid(`Vault '${resource.vault_id}' is given twice.`, param);
    }
    if (ids.length >= MAX_SESSION_VAULTS)
      throw errors.invalid(`A session has at most ${MAX_SESSION_VAULTS} vaults.`, param);
    ids.push(resource.vault_id);
  }
  return ids;
}
