import type { Meaning } from "./wish.ts";

const CLAUSE = /^(===|~=|==|!=|<=|>=|<|>)\s*v?(\d{1,6}(?:\.\d{1,6}){0,2})(\.\*)?$/;

/**
 * Returns what a version specifier of Python means, such as `>=3.11,<3.14` or `~=3.12.1`, or a clause of why
 * it means none.
 */
export function pythonRange(text: string): Meaning | string {
  const parts: string[] = [];
  const except: string[] = [];
  for (const clause of text.split(",").map((one) => one.trim())) {
    if (clause === "") continue;
    const [, operator = "", version = "", star] = CLAUSE.exec(clause) ?? [];
    if (operator === "") return "it is no version specifier that Berth knows";
    if (operator === "!=") except.push(version);
    else if (operator === "~=") parts.push(compatible(version));
    else if (operator === "==" || operator === "===") parts.push(version);
    else if (star !== undefined) return "it compares with a wildcard";
    else parts.push(`${operator}${version}`);
  }
  return { type: "range", range: parts.join(" ") || "*", except, prefers: "newest" };
}

/** At least this version, and in its line: `~=3.11` is below 4, and `~=3.11.2` below 3.12. */
function compatible(version: string): string {
  const numbers = version.split(".").map(Number);
  const [major = 0, minor = 0] = numbers;
  return numbers.length < 3 ? `>=${version} <${major + 1}` : `>=${version} <${major}.${minor + 1}`;
}
