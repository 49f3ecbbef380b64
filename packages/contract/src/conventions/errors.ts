import { z } from "zod";

/** HTTP statuses by `error.type`. Conflicts of session resources are `invalid_request_error` with 409. */
export const ERROR_STATUS = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  conflict_error: 409,
  rate_limit_error: 429,
  api_error: 500,
  feature_not_available: 501,
} as const;

export type ErrorType = keyof typeof ERROR_STATUS;

export const errorEnvelope = z
  .strictObject({
    type: z.literal("error"),
    request_id: z.string().meta({ description: "The request's `x-request-id`, or a generated UUID." }),
    error: z.strictObject({
      type: z.enum(Object.keys(ERROR_STATUS) as [ErrorType, ...ErrorType[]]),
      message: z
        .string()
        .optional()
        .meta({ description: "One sentence for people. Absent with status 501." }),
      param: z
        .string()
        .optional()
        .meta({ description: "Path of the invalid field, such as `resources[0].url`." }),
      code: z.string().optional().meta({
        description:
          "The cause, for programs, where one type has several: `authorization_pending`, `slow_down`, `access_denied`, `expired_token`, `invalid_grant`, `authentication_required`, `is_directory`, `not_a_directory`, `not_a_file`, `symbolic_link`.",
      }),
      feature: z
        .string()
        .optional()
        .meta({ description: "With status 501: the feature that the request must activate." }),
      available_from: z.string().optional().meta({
        description: "With status 501: the identifier that activates the feature in the header `berth-beta`.",
      }),
    }),
  })
  .meta({ id: "Error" });

export type ErrorEnvelope = z.output<typeof errorEnvelope>;
