import { z } from "zod";
import { timestamp } from "../conventions/fields.ts";
import { operations } from "../operations/operations.ts";
import { defineRoute } from "../operations/route.ts";

export const consoleLink = z
  .strictObject({
    type: z.literal("console_link"),
    url: z.string().meta({
      description:
        "Signs in whoever opens it first to the console, as the token's user and with its scopes. It works once.",
    }),
    expires_at: timestamp.meta({ description: "60 seconds after it was created." }),
  })
  .meta({ id: "ConsoleLink" });
export type ConsoleLink = z.output<typeof consoleLink>;

export const consoleLinkRoutes = {
  create: defineRoute(operations.consoleLinks.create, { response: consoleLink }),
};
