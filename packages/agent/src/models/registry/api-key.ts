import { readRegularFile } from "@berth/linux";
import { ModelError } from "../model.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The location of a provider's key. With neither field, the provider needs no key. */
export interface KeySource {
  env?: string | undefined;
  file?: string | undefined;
}

/** Returns a function that reads the key at each call. It throws `ModelError` when the key is missing. */
export function keyReader(
  provider: string,
  source: KeySource,
  environment: Environment,
): () => Promise<string | null> {
  const { env, file } = source;
  if (file !== undefined)
    return async () => present(contentOf(file), provider, "its key file is missing, empty or no file");
  if (env !== undefined)
    return async () => present(environment[env], provider, `the variable ${env} is not set`);
  return async () => null;
}

/** Returns undefined for a missing file, and for a named pipe or device, which could block every turn. */
function contentOf(file: string): string | undefined {
  try {
    return readRegularFile(file);
  } catch {
    return undefined;
  }
}

function present(key: string | undefined, provider: string, reason: string): string {
  const trimmed = key?.trim() ?? "";
  if (trimmed !== "") return trimmed;
  throw new ModelError("authentication", `There is no API key for ${provider}: ${reason}.`, {
    retryable: false,
  });
}
