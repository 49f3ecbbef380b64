import { OperatorError, rewrapSecrets } from "@berth/server";
import { exitCodes } from "../../exit-codes.ts";
import { UsageError } from "../../failure.ts";
import { printJson, printLine } from "../../print.ts";

interface RewrapOptions {
  formerKeyFile?: string;
  dataDir?: string;
  json?: boolean;
}

/** Says how many secrets have the new key now. */
export async function rewrap({ formerKeyFile, dataDir, json }: RewrapOptions): Promise<undefined> {
  const flags = { "data-dir": dataDir };
  const { rewrapped } = await rewrapSecrets(flags, formerKeyFile).catch((error: unknown) => {
    if (error instanceof OperatorError) throw new UsageError(error.message, exitCodes.failed);
    throw error;
  });
  if (json) printJson({ rewrapped });
  else printLine(`${rewrapped} ${rewrapped === 1 ? "secret has" : "secrets have"} the new key.`);
}
