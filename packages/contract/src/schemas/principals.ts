import { z } from "zod";
import { principalId } from "../conventions/sender.ts";
import { operations } from "../operations/operations.ts";
import { defineRoute } from "../operations/route.ts";

/** Maximum ids in one request. */
export const MAX_PRINCIPALS = 100;

const principals = z
  .strictObject({
    type: z.literal("principals"),
    data: z.array(
      z.strictObject({
        type: z.enum(["user", "service_account"]),
        id: principalId,
        name: z.string().meta({ description: "A user's email, or a service account's name." }),
      }),
    ),
  })
  .meta({ id: "Principals" });
export type Principals = z.output<typeof principals>;

export const principalRoutes = {
  get: defineRoute(operations.principals.get, {
    query: z.strictObject({
      "ids[]": z.array(principalId).min(1).max(MAX_PRINCIPALS).meta({
        description:
          "Ids of another organization, and of principals that no longer exist, are left out of the response.",
      }),
    }),
    response: principals,
  }),
};
