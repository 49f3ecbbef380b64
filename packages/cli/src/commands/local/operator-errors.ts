import { OperatorError } from "@berth/server";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { UsageError } from "../../shared/failure.ts";

/** Runs `work` and prints its `OperatorError` as one sentence, with exit code 1, instead of a stack. */
export async function operatorErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OperatorError) throw new UsageError(error.message, EXIT_CODES.failed);
    throw error;
  }
}
