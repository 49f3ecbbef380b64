import { NoRoomError, RuntimeClassError } from "../interface/errors.ts";
import { isStatus } from "./api-status.ts";
import { oneLine } from "./wait-words.ts";

/** The API server's words for what the cluster lacks or a quota denies; it has no codes for them. */
const MISSING_CLASS = /RuntimeClass "([^"]+)" not found/;
const BEYOND_QUOTA = /exceeded quota/;

/**
 * Translates an error of the creation of an object.
 *
 * @throws RuntimeClassError or NoRoomError if that is the reason, otherwise the error.
 */
export function throwRefusal(error: unknown): never {
  const { message } = error as Error;
  const [, name] = MISSING_CLASS.exec(message) ?? [];
  if (name !== undefined)
    throw new RuntimeClassError(`The cluster does not have the runtime class ${JSON.stringify(name)}.`, {
      cause: error,
    });
  if (isStatus(error, 403) && BEYOND_QUOTA.test(message))
    throw new NoRoomError({ cause: error, why: oneLine(message) });
  throw error;
}
