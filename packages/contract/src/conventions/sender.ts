import { z } from "zod";
import { idOf } from "./fields.ts";

/** The id of a user or a service account. */
export const principalId = z.union([idOf("user"), idOf("service_account")]);

/** A sender, by id. Names are looked up separately, so that those of erased users remain nowhere. */
export const sender = z
  .strictObject({
    type: z.enum(["user", "service_account"]),
    id: principalId,
  })
  .meta({ id: "Sender" });
export type Sender = z.output<typeof sender>;
