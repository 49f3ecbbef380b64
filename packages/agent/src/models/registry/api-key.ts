import { readFile } from "node:fs/promises";
import { ModelError } from "../model.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a provider's key is. With neither, the provider needs no key. */
export interface KeySource {
  env?: string | undefined;
  file?: string | undefined;
}

/** Reads the key at each call. Throws `ModelError` when it is missing. */
export function keyReader(
  provider: string,
  source: KeySource,
  environment: Environment,
): () => Promise<string | null> {
  const { env, file } = source;
  if (file !== undefined)
    return async () => present(await contentOf(file), provider, "its key file is missing or empty");
  if (env !== undefined)
    return async () => present(environment[env], provider, `the variable ${env} is not set`);
  return async () => null;
}

function contentOf(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch(() => undefined);
}

function present(key: string | undefined, provider: string, reason: string): string {
  const trimmed = key?.trim() ?? "";
  if (trimmed !== "") return trimmed;
  throw new ModelError("authentication", `There is no API key for ${provider}: ${reason}.`, {
    retryable: false,
  });
}
