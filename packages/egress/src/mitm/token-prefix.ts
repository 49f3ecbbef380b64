/** Beginnings of well-known kinds of tokens, by which their programs tell them. The longer first. */
const prefixes = [
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
 * What stands inside for a secret: the placeholder, behind the secret's own beginning where that tells only its kind, since
 * some programs refuse what does not look like a token.
 */
export function inShapeOf(secret: string, placeholder: string): string {
  return `${prefixes.find((prefix) => secret.startsWith(prefix)) ?? ""}${placeholder}`;
}

/** Finds placeholders with whatever beginning they were given: it is another one after a secret of another kind came. */
export function placeholderPattern(placeholders: readonly string[]): RegExp {
  return new RegExp(`(?:${prefixes.join("|")})?(${placeholders.map(RegExp.escape).join("|")})`, "g");
}
