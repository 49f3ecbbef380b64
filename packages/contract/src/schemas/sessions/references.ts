import { z } from "zod";
import { referenceTo } from "../../conventions/fields.ts";

export const agentReference = z.union([
  referenceTo("agent"),
  z.strictObject({ id: referenceTo("agent"), type: z.literal("agent"), version: z.int().min(1).nullish() }),
]);

export const MAX_SESSION_VAULTS = 16;

export const vaultIds = z
  .array(referenceTo("vault"))
  .max(MAX_SESSION_VAULTS)
  .refine((ids) => new Set(ids).size === ids.length, "Field '{field}' names a vault twice.");
