/** Prefixes of well-known kinds of tokens, by which programs recognize them. Longer prefixes first. */
const PREFIXES = [
  "github_pat_",
  "ghp_",
  "gho_",
  "ghu_",
  "ghs_",
  "ghr_",
  "glpat-",
  "gldt-",
  "npm_",
  "pypi-",
  "sk-ant-",
  "sk-",
  "xoxb-",
  "xoxp-",
  "hf_",
];

/**
 * Returns the text that a sandbox gets instead of a secret: the placeholder, preceded by the secret's own
 * prefix if that only identifies its kind. Some programs reject a token of unexpected form.
 */
export function withTokenPrefix(secret: string, placeholder: string): string {
  return `${PREFIXES.find((prefix) => secret.startsWith(prefix)) ?? ""}${placeholder}`;
}

/**
 * Returns a pattern that matches placeholders with any known prefix or none, since a secret may have been
 * replaced by one of another kind.
 */
export function placeholderPattern(placeholders: readonly string[]): RegExp {
  return new RegExp(`(?:${PREFIXES.join("|")})?(${placeholders.map(RegExp.escape).join("|")})`, "g");
}
