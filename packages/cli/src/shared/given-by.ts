import { APIError } from "@berth/sdk";

/** The flag or argument that set the field of an error. */
const FLAGS = new WeakMap<APIError, string>();

/**
 * Calls the API with fields that flags set. An error about a field is then printed with its flag.
 * @param flags Flags by field, or by the first part of its path: `resources` also applies to
 * `resources[0].url`.
 * @param otherwise Flag of other fields.
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

/** Returns the flag that `givenBy` recorded, or null if there is none. */
export function flagOf(error: APIError): string | null {
  return FLAGS.get(error) ?? null;
}
