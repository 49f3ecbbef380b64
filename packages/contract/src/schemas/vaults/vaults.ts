import { z } from "zod";
import {
  deletedObject,
  idOf,
  metadata,
  metadataPatch,
  owner,
  text,
  timestamp,
} from "../../conventions/fields.ts";
import { flag, listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

/** A set of credentials, which sessions refer to by its id. */
export const vault = z
  .strictObject({
    id: idOf("vault"),
    type: z.literal("vault"),
    display_name: z.string(),
    metadata,
    ...owner,
    archived_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Vault" });
export type Vault = z.output<typeof vault>;

const vaultParams = z.strictObject({ vault_id: z.string() });

export const vaultRoutes = {
  create: defineRoute(operations.vaults.create, {
    body: z.strictObject({ display_name: text(1, 255), metadata: metadata.nullish() }),
    response: vault,
  }),
  list: defineRoute(operations.vaults.list, {
    query: listQuery("vault", { include_archived: flag }),
    response: pageOf(vault),
  }),
  get: defineRoute(operations.vaults.get, {
    params: vaultParams,
    response: vault,
  }),
  /** Updates a vault. Omitted fields keep their value. */
  update: defineRoute(operations.vaults.update, {
    params: vaultParams,
    body: z.strictObject({ display_name: text(1, 255).optional(), metadata: metadataPatch.nullish() }),
    response: vault,
  }),
  /** Deletes a vault and its credentials. */
  delete: defineRoute(operations.vaults.delete, {
    params: vaultParams,
    response: deletedObject("vault"),
  }),
  /** Archives a vault and its credentials, which destroys their secrets and cannot be undone. */
  archive: defineRoute(operations.vaults.archive, {
    params: vaultParams,
    response: vault,
  }),
};
