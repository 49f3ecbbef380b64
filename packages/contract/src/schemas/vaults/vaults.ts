import { z } from "zod";
import { idOf, metadata, metadataPatch, text, timestamp } from "../../conventions/fields.ts";
import { sharedOwner, visibilityInput } from "../../conventions/sharing.ts";
import { operations } from "../../operations/operations.ts";
import { crud, defineRoute } from "../../operations/route.ts";
import { sharingRoutes } from "../../operations/sharing-routes.ts";

/** A set of credentials, which sessions refer to by its id. */
export const vault = z
  .strictObject({
    id: idOf("vault"),
    type: z.literal("vault"),
    display_name: z.string(),
    metadata,
    ...sharedOwner,
    archived_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Vault" });
export type Vault = z.output<typeof vault>;

const params = z.strictObject({ vault_id: z.string() });

export const vaultRoutes = {
  ...crud(operations.vaults, {
    kind: "vault",
    object: vault,
    params,
    create: z.strictObject({
      display_name: text(1, 255),
      metadata: metadata.nullish(),
      visibility: visibilityInput,
    }),
    update: z.strictObject({ display_name: text(1, 255).optional(), metadata: metadataPatch.nullish() }),
  }),
  ...sharingRoutes(operations.vaults, params),
  archive: defineRoute(operations.vaults.archive, { params, response: vault }),
};
