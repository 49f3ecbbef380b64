import { InputError } from "@berth/store/errors";
import { isNoRoom } from "./partial-directory.ts";

/**
 * Runs `work` and throws its errors as InputError, since they are caused by the command's input. Errors of a
 * full disk are thrown unchanged.
 * @param worded Makes a sentence about the input from the message.
 */
export async function asInputError<T>(
  work: () => Promise<T>,
  worded = (message: string) => message,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isNoRoom(error) ? error : new InputError(worded((error as Error).message));
  }
}
