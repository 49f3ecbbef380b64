import { APIError } from "@berth/sdk";

/** The flag or argument that set a field, by the error that refuses the field. */
const FLAGS = new WeakMap<APIError, string>();

/**
 * Calls the API with fields that flags set. An error of a field is then printed with its flag.
 *
 * @param flags by the field, or by the first part of its path: `resources` is also for `resources[0].url`.
 * @param otherwise for other fields
 */
export async function givenBy<Result>(
  flags: Readonly<Record<string, string>>,
  call: () => Promise<Result>,
  otherwise?: string,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof APIError && error.param !== null) {
      const flag = flags[error.param] ?? flags[error.param.split(/[.[]/, 1)[0] ?? ""] ?? otherwise;
      if (flag !== undefined) FLAGS.set(error, flag);
    }
    throw error;
  }
}

/** The flag of `givenBy`; null for an error of another kind. */
export function flagOf(error: APIError): string | null {
  return FLAGS.get(error) ?? null;
}
