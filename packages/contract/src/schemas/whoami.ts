import { z } from "zod";
import { idOf, timestamp } from "../conventions/fields.ts";
import { operations } from "../operations/operations.ts";
import { defineRoute } from "../operations/route.ts";
import { SCOPES, SIGN_INS } from "./tokens/tokens.ts";

const whoami = z
  .strictObject({
    type: z.literal("whoami"),
    principal: z.strictObject({
      id: z
        .union([idOf("user"), idOf("service_account")])
        .meta({ description: "Id of the user or of the service account." }),
      type: z.enum(["user", "service_account"]),
      name: z.string().meta({ description: "A user's email, or a service account's name." }),
    }),
    organization: z.strictObject({ id: idOf("organization"), name: z.string() }),
    role: z.enum(["member", "admin"]).meta({ description: "A service account is a member." }),
    admins: z.array(z.string()).meta({
      description: "Email addresses of up to ten admins of the organization, whom to ask for rights.",
    }),
    scopes: z.array(z.enum(SCOPES)).meta({ description: "Scopes of the request; `*`: all." }),
    signed_in_by: z.enum(SIGN_INS).meta({
      description:
        "How the caller signed in. `token`: with an access token, also in the console. `link`, `oidc`: in the console, with a link or an identity provider. Later versions may have more values.",
    }),
    token_id: idOf("token").meta({ description: "Id of the token that authenticated the request." }),
    token_name: z.string(),
    expires_at: timestamp.nullable().meta({ description: "When the token expires. Null: never." }),
  })
  .meta({ id: "Whoami" });

export type Whoami = z.output<typeof whoami>;

export const whoamiRoutes = {
  get: defineRoute(operations.whoami.get, { response: whoami }),
};
