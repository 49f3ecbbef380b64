import { ApiError } from "@berth/store/errors";

const MESSAGE = "urn:ietf:params:scim:api:messages:2.0:Error";

/** The details of 400 and 409 in RFC 7644, table 9. */
type ScimType =
  | "invalidFilter"
  | "tooMany"
  | "uniqueness"
  | "mutability"
  | "invalidSyntax"
  | "invalidPath"
  | "noTarget"
  | "invalidValue";

/** An error of SCIM, with the `scimType` of the RFC. */
export class ScimError extends ApiError {
  readonly scimType: ScimType;

  constructor(scimType: ScimType, message: string) {
    super(scimType === "uniqueness" ? "conflict_error" : "invalid_request_error", { message });
    this.scimType = scimType;
  }
}

/** Returns the body of an error's response. */
export function scimErrorBody(error: ApiError): object {
  return {
    schemas: [MESSAGE],
    status: `${error.status}`,
    ...(error instanceof ScimError && { scimType: error.scimType }),
    detail: error.message,
  };
}
