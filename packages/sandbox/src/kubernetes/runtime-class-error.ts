import { RuntimeClassError } from "../interface/errors.ts";

/** How the API server refuses a pod with one that it does not have; there is no code for it. The client quotes its answer. */
const MISSING = /RuntimeClass \\*"([^"\\]+)\\*" not found/;

/** To be called with an error of the creation of a pod. @throws RuntimeClassError if that is why, else the error. */
export function throwRuntimeClassError(error: unknown): never {
  const [, name] = MISSING.exec((error as Error).message) ?? [];
  if (name === undefined) throw error;
  throw new RuntimeClassError(`The cluster does not have the runtime class ${JSON.stringify(name)}.`, {
    cause: error,
  });
}
