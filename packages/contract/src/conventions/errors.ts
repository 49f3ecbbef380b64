import { z } from "zod";

/** Every `error.type` with its HTTP status. Session resources label their conflicts `invalid_request_error`, also with 409. */
export const ERROR_STATUS = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  conflict_error: 409,
  api_error: 500,
  feature_not_available: 501,
} as const;

export type ErrorType = keyof typeof ERROR_STATUS;

export const errorEnvelope = z
  .strictObject({
    type: z.literal("error"),
    request_id: z.string().meta({ description: "The request's `x-request-id`, or a UUID made for it." }),
    error: z.strictObject({
      type: z.enum(Object.keys(ERROR_STATUS) as [ErrorType, ...ErrorType[]]),
      message: z.string().optional().meta({ description: "One sentence for people. Absent with 501." }),
      param: z
        .string()
        .optional()
        .meta({ description: "Path of the offending parameter, as `resources[0].url`." }),
      code: z.string().optional(),
      feature: z.string().optional().meta({ description: "501 only: the feature that needs activation." }),
      available_from: z
        .string()
        .optional()
        .meta({ description: "501 only: the beta identifier that activates it." }),
    }),
  })
  .meta({ id: "Error" });

export type ErrorEnvelope = z.output<typeof errorEnvelope>;
