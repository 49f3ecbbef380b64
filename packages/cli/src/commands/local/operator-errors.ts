import { ConfigError, OperatorError } from "@berth/server";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { UsageError } from "../../shared/failure.ts";

/** Runs `work` and prints its `OperatorError` as one sentence, with exit code 1, and wrong settings with 2, instead of a stack. */
export async function operatorErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OperatorError) throw new UsageError(error.message, EXIT_CODES.failed);
    if (error instanceof ConfigError) throw new UsageError(error.message);
    throw error;
  }
}
