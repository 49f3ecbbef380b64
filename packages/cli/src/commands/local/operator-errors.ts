import { DatabaseUnavailableError, InputError, OperatorError } from "@berth/server";
import { ConfigError } from "@berth/server/settings";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { UsageError } from "../../shared/failure.ts";

/**
 * Runs `work`. Converts errors that an operator can fix to usage errors of one sentence: wrong settings and
 * inputs with exit code 2, others with 1.
 */
export async function operatorErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConfigError || error instanceof InputError) throw new UsageError(error.message);
    if (error instanceof OperatorError || error instanceof DatabaseUnavailableError)
      throw new UsageError(error.message, EXIT_CODES.failed);
    throw error;
  }
}
