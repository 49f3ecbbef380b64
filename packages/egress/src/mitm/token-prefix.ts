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
 * What a sandbox gets instead of a secret: the placeholder, after the secret's own prefix if that only identifies its kind. Some
 * programs reject what does not look like a token.
 */
export function withTokenPrefix(secret: string, placeholder: string): string {
  return `${PREFIXES.find((prefix) => secret.startsWith(prefix)) ?? ""}${placeholder}`;
}

/** Matches placeholders with any prefix or none: the prefix differs once the secret is replaced by one of another kind. */
export function placeholderPattern(placeholders: readonly string[]): RegExp {
  return new RegExp(`(?:${PREFIXES.join("|")})?(${placeholders.map(RegExp.escape).join("|")})`, "g");
}
