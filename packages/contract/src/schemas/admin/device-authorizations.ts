import { z } from "zod";
import { referenceTo, text } from "../../conventions/fields.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";
import { deviceAuthorization } from "../tokens/device-authorizations.ts";
import { SCOPES } from "../tokens/tokens.ts";

const ofCode = z.strictObject({
  user_code: text(1, 64).meta({
    description: "As the device shows it. Case, spaces and dashes do not matter.",
  }),
});

export const adminDeviceAuthorizationRoutes = {
  lookup: defineRoute(operations.adminDeviceAuthorizations.lookup, {
    body: ofCode,
    response: deviceAuthorization,
  }),
  approve: defineRoute(operations.adminDeviceAuthorizations.approve, {
    body: ofCode.extend({
      user_id: referenceTo("user").meta({ description: "The user who will own the token." }),
      scopes: z
        .array(z.enum(SCOPES))
        .min(1)
        .max(SCOPES.length)
        .nullish()
        .meta({ description: "Scopes of the token. Default, also for null: the requested scopes." }),
    }),
    response: deviceAuthorization,
  }),
  deny: defineRoute(operations.adminDeviceAuthorizations.deny, {
    body: ofCode,
    response: deviceAuthorization,
  }),
};
