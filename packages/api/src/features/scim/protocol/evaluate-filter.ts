import type { BoundFilter, Test } from "./bind-filter.ts";

/** A JSON object of SCIM, with the names of the schema. */
export type Resource = Record<string, unknown>;

/** Returns whether a resource, or one value of an attribute, meets a filter. Case is that of ASCII. */
export function meets(resource: Resource, filter: BoundFilter): boolean {
  switch (filter.kind) {
    case "and":
      return filter.parts.every((part) => meets(resource, part));
    case "or":
      return filter.parts.some((part) => meets(resource, part));
    case "not":
      return !meets(resource, filter.part);
    case "constant":
      return filter.value;
    case "any": {
      const values = resource[filter.attribute.name];
      return Array.isArray(values) && values.some((value: Resource) => meets(value, filter.part));
    }
    case "test":
      return passes(valueAt(resource, filter.path), filter.test, filter.attribute.caseExact === true);
  }
}

function valueAt(resource: Resource, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Resource | undefined)?.[name], resource) ?? null;
}

function passes(actual: unknown, test: Test, caseExact: boolean): boolean {
  if (test.operator === "pr") return actual !== null && actual !== "";
  if (test.value === null) return (actual === null) === (test.operator === "eq");
  if (actual === null) return test.operator === "ne";
  if (test.value instanceof Date)
    return compares(new Date(`${actual}`).getTime(), test.operator, test.value.getTime());
  if (typeof test.value === "boolean") return compares(actual === true, test.operator, test.value);
  const fold = (text: string) =>
    caseExact ? text : text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  return compares(fold(`${actual}`), test.operator, fold(test.value));
}

function compares<T extends string | number | boolean>(actual: T, operator: string, given: T): boolean {
  switch (operator) {
    case "eq":
      return actual === given;
    case "ne":
      return actual !== given;
    case "co":
      return `${actual}`.includes(`${given}`);
    case "sw":
      return `${actual}`.startsWith(`${given}`);
    case "ew":
      return `${actual}`.endsWith(`${given}`);
    case "gt":
      return actual > given;
    case "ge":
      return actual >= given;
    case "lt":
      return actual < given;
    default:
      return actual <= given;
  }
}
