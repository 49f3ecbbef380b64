import { rewrapSecrets } from "@berth/server";
import { printJson, printLine } from "../../terminal/print.ts";
import { operatorErrors } from "./operator-errors.ts";

interface RewrapOptions {
  formerKeyFile?: string;
  dataDir?: string;
  config?: string;
  json?: boolean;
}

/** Prints how many secrets are encrypted with the new key. */
export async function rewrap({ formerKeyFile, dataDir, config, json }: RewrapOptions): Promise<undefined> {
  const { rewrapped } = await operatorErrors(() =>
    rewrapSecrets({ "data-dir": dataDir, config }, formerKeyFile),
  );
  if (json) printJson({ rewrapped });
  else printLine(`${rewrapped} ${rewrapped === 1 ? "secret has" : "secrets have"} the new key.`);
}
