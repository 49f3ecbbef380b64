import type { Statement } from "./statement.ts";

/** A part of a statement: SQL with `?` for each value, in order. */
export interface Condition {
  text: string;
  values: readonly unknown[];
}

export function condition(text: string, ...values: readonly unknown[]): Condition {
  return { text, values };
}

export function joined(parts: readonly Condition[], separator: string): Condition {
  return {
    text: parts.map(({ text }) => text).join(separator),
    values: parts.flatMap(({ values }) => values),
  };
}

/**
 * One statement of the parts. A list has a text for each combination of filters, so that a plan that serves every value also
 * fits each: a filter that is not given is not in it.
 */
export function assembled(parts: readonly Condition[]): Statement {
  const { text: unnumbered, values } = joined(parts, " ");
  let given = 0;
  const text = unnumbered.replaceAll("?", () => `$${++given}`);
  return { name: nameOf(text), text, values };
}

/** There are few texts, and each is prepared once per connection. */
const STATEMENT_NAMES = new Map<string, string>();

function nameOf(text: string): string {
  const known = STATEMENT_NAMES.get(text);
  if (known !== undefined) return known;
  const name = `list_${STATEMENT_NAMES.size}`;
  STATEMENT_NAMES.set(text, name);
  return name;
}
