/**
 * What servers that need no key are given in its place, because their clients demand one. Masked, they would garble the provider's
 * words.
 */
const NO_SECRETS = new Set([
  "anything",
  "api-key",
  "dummy-key",
  "fake-key",
  "lm-studio",
  "llama.cpp",
  "llama-cpp",
  "local-key",
  "no-api-key",
  "no-key-required",
  "not-needed",
  "not-required",
  "not-used",
  "sk-no-key-required",
  "no_key_required",
  "not_needed",
  "placeholder",
]);
/** A shorter value is no secret that a provider gives, and is part of ordinary words. */
const SHORTEST_SECRET = 8;

/** At most 500 characters, on one line. Text that looks like a key, with a digit or a star, is removed too: providers repeat keys in part. */
export function redacted(text: string, secrets: readonly string[]): string {
  const known = secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET && !NO_SECRETS.has(secret.toLowerCase()))
    .reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text);
  const line = known
    .replace(/\b(sk|key|bearer)[-_ ](?=[\w.-]*[\d*])[\w*.-]{8,}/gi, "[secret]")
    .replace(/\s+/g, " ");
  return line.trim().slice(0, 500).toWellFormed();
}
