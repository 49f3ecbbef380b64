import { readRegularFile } from "@berth/linux";
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
    return async () => present(contentOf(file), provider, "its key file is missing, empty or no file");
  if (env !== undefined)
    return async () => present(environment[env], provider, `the variable ${env} is not set`);
  return async () => null;
}

/** Also of a named pipe or a device nothing: it could keep every turn waiting. */
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
