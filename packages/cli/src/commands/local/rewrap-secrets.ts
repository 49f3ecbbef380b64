import { rewrapSecrets } from "@berth/server";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { operatorErrors } from "./operator-errors.ts";

interface RewrapOptions extends OutputOptions {
  formerKeyFile?: string;
  dataDir?: string;
  config?: string;
}

/** Encrypts the stored secrets with a new key, and prints how many there are. */
export async function rewrap({
  formerKeyFile,
  dataDir,
  config,
  ...output
}: RewrapOptions): Promise<undefined> {
  const { rewrapped } = await operatorErrors(() =>
    rewrapSecrets({ "data-dir": dataDir, config }, formerKeyFile),
  );
  const told = `${rewrapped} ${rewrapped === 1 ? "secret has" : "secrets have"} the new key.`;
  await printResult({ rewrapped }, output, () => [told]);
}
