import type { Statement } from "./statement.ts";

/** A part of a statement: SQL with `?` for each value, in order. */
export interface Condition {
  text: string;
  values: readonly unknown[];
}

/** Returns a part of a statement. */
export function condition(text: string, ...values: readonly unknown[]): Condition {
  return { text, values };
}

/** Joins parts with a separator between them, such as ` and `. */
export function joined(parts: readonly Condition[], separator: string): Condition {
  return {
    text: parts.map(({ text }) => text).join(separator),
    values: parts.flatMap(({ values }) => values),
  };
}

/**
 * Joins the parts to one statement. A filter that is not given is left out, so each combination of filters
 * has its own text. A generic plan of each text fits all values.
 */
export function assembled(parts: readonly Condition[]): Statement {
  const { text: unnumbered, values } = joined(parts, " ");
  let given = 0;
  const text = unnumbered.replaceAll("?", () => `$${++given}`);
  return { name: nameOf(text), text, values };
}

/** Names of prepared statements by text. There are few texts, and each is prepared once per connection. */
const STATEMENT_NAMES = new Map<string, string>();

function nameOf(text: string): string {
  const known = STATEMENT_NAMES.get(text);
  if (known !== undefined) return known;
  const name = `list_${STATEMENT_NAMES.size}`;
  STATEMENT_NAMES.set(text, name);
  return name;
}
