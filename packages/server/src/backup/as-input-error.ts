import { InputError } from "@berth/store/errors";
import { isNoRoom } from "./partial-directory.ts";

/** What fails in the work is a fault of what the command was given. @param worded makes it one sentence about that. */
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
