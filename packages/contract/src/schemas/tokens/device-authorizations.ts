import { z } from "zod";
import { idOf, text, timestamp } from "../../conventions/fields.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";
import { createdToken, SCOPES } from "./tokens.ts";

/** The `error.code` of a poll that returns no token. */
export type DeviceTokenRefusal =
  | "authorization_pending"
  | "slow_down"
  | "access_denied"
  | "expired_token"
  | "invalid_grant";

const scopes = z.array(z.enum(SCOPES)).min(1).max(SCOPES.length);

const deviceCode = z
  .strictObject({
    type: z.literal("device_code"),
    device_code: z.string().meta({ description: "The code for polling. Whoever has it gets the token." }),
    user_code: z
      .string()
      .meta({ description: "The code for the user who approves: two groups of four letters." }),
    verification_uri: z.string().meta({
      description:
        "Where the user approves: a page of the console, or the address of a service without a console.",
    }),
    instructions: z.string().meta({ description: "How to approve, as one sentence for people." }),
    expires_in: z.int().meta({ description: "Seconds until the codes expire." }),
    interval: z.int().meta({ description: "Minimum number of seconds between two polls." }),
  })
  .meta({ id: "DeviceCode" });
export type DeviceCode = z.output<typeof deviceCode>;

export const deviceAuthorization = z
  .strictObject({
    id: idOf("device_authorization"),
    type: z.literal("device_authorization"),
    status: z.enum(["pending", "approved", "denied"]),
    client_name: z
      .string()
      .nullable()
      .meta({ description: "The name that the device gives itself. It is not verified." }),
    client_address: z.string().meta({ description: "The address of the device." }),
    scopes: z.array(z.enum(SCOPES)).meta({ description: "The requested scopes." }),
    granted_scopes: z.array(z.enum(SCOPES)).nullable().meta({ description: "Null unless it is approved." }),
    created_at: timestamp,
    expires_at: timestamp,
  })
  .meta({ id: "DeviceAuthorization" });
export type DeviceAuthorization = z.output<typeof deviceAuthorization>;

const userCode = text(1, 64).meta({
  description: "As the device shows it. Case, spaces and dashes do not matter.",
});
const ofCode = z.strictObject({ user_code: userCode });

export const deviceAuthorizationRoutes = {
  create: defineRoute(operations.deviceAuthorizations.create, {
    body: z.strictObject({
      client_name: text(1, 200).nullish().meta({
        description:
          "The name of the device, such as the machine's, for the user who approves. It becomes the token's name.",
      }),
      scopes: scopes.default(["*"]),
    }),
    response: deviceCode,
  }),
  lookup: defineRoute(operations.deviceAuthorizations.lookup, {
    body: ofCode,
    response: deviceAuthorization,
  }),
  approve: defineRoute(operations.deviceAuthorizations.approve, {
    body: ofCode.extend({
      scopes: scopes.nullish().meta({
        description:
          "Scopes of the token. Default, also for null: the requested scopes. Only scopes that were requested and that the request's token has.",
      }),
    }),
    response: deviceAuthorization,
  }),
  deny: defineRoute(operations.deviceAuthorizations.deny, { body: ofCode, response: deviceAuthorization }),
};

export const deviceTokenRoutes = {
  create: defineRoute(operations.deviceTokens.create, {
    body: z.strictObject({
      device_code: text(1, 256).meta({
        description:
          "While nobody has approved, the response is 409 with the code `authorization_pending`; after a poll that came too early, 429 with `slow_down`, and 5 more seconds between polls. 403 with `access_denied`: it was denied. 400 with `expired_token`: it was not approved in time; with `invalid_grant`: the code is unknown, or the token was already issued.",
      }),
    }),
    response: createdToken,
  }),
};
