import { z } from "zod";
import { idOf } from "./fields.ts";

/** The id of a user or a service account. */
export const principalId = z.union([idOf("user"), idOf("service_account")]);

/** A sender, by id. */
export const sender = z
  .strictObject({
    type: z.enum(["user", "service_account"]),
    id: principalId,
  })
  .meta({ id: "Sender" });
export type Sender = z.output<typeof sender>;

/** How a request was authenticated. */
const via = z.enum(["console", "personal_access_token", "service_account_token", "deployment"]);

/** Who caused an event, with the name at that time. When a user is erased, the name is removed. */
export const creator = sender
  .extend({
    name: z.string().nullable().meta({
      description:
        "A user's email, or a service account's name, when the event was sent. Null once the user is erased.",
    }),
    via: via.meta({
      description:
        "Whether the request came with a sign-in to the console, a user's personal access token, which the command line has too, or the token of a service account. `deployment`: a deployment of theirs sent it.",
    }),
  })
  .meta({ id: "Creator" });
export type Creator = z.output<typeof creator>;
