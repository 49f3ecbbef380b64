import { uuidOrNil } from "@berth/contract";
import type { BoundFilter, Test } from "./bind-filter.ts";

/** How the attributes of a type of resource are read in SQL. */
export interface FilterColumns {
  /** The expression of each attribute with one value, by its path: `name.familyName`. */
  columns: Readonly<Record<string, string>>;
  /** The rows of each attribute with several values, and the expressions of their sub-attributes. */
  rows: Readonly<Record<string, { from: string; columns: Readonly<Record<string, string>> }>>;
  /** Expressions that find rows by an index, for a path that is equal to a value. */
  equal?: Readonly<Record<string, (value: string) => string>>;
}

/** SQL for when the object with an id was created. @param id a UUIDv7. */
export function createdAt(id: string): string {
  return `to_timestamp(('x' || translate(left(${id}::text, 13), '-', ''))::bit(48)::bigint / 1000.0)`;
}

/** SQL for when an object was changed last. Ids have the time of a process, which may be ahead. */
export function updatedAt(id: string, ...times: readonly string[]): string {
  return `date_trunc('milliseconds', greatest(${[createdAt(id), ...times].join(", ")}))`;
}

type BoundTest = Extract<BoundFilter, { kind: "test" }>;

/**
 * Returns a condition that holds for the rows that meet a filter, as `meets` decides it.
 *
 * @param parameter adds a value to the statement's, and returns its placeholder.
 */
export function filterCondition(
  filter: BoundFilter,
  table: FilterColumns,
  parameter: (value: unknown) => string,
): string {
  const conditionOf = (inner: BoundFilter, columns: Pick<FilterColumns, "columns" | "equal">): string => {
    switch (inner.kind) {
      case "and":
      case "or":
        return `(${inner.parts.map((part) => conditionOf(part, columns)).join(` ${inner.kind} `)})`;
      case "not":
        return `(not ${conditionOf(inner.part, columns)})`;
      case "constant":
        return `${inner.value}`;
      case "any": {
        const { from, ...own } = table.rows[inner.attribute.name] ?? missing(inner.attribute.name);
        return `exists (select from ${from} where ${conditionOf(inner.part, own)})`;
      }
      case "test":
        return testCondition(inner, columns, parameter);
    }
  };
  return conditionOf(filter, table);
}

function testCondition(
  { attribute, path, test }: BoundTest,
  { columns, equal }: Pick<FilterColumns, "columns" | "equal">,
  parameter: (value: unknown) => string,
): string {
  const name = path.join(".");
  const column = columns[name] ?? missing(name);
  if (test.operator === "pr")
    return isText(attribute) ? `coalesce(${column} <> '', false)` : `(${column} is not null)`;
  if (test.value === null) return `(${column} is ${test.operator === "eq" ? "" : "not "}null)`;
  if (attribute.idKind !== undefined)
    return `(${column} ${SIGNS[test.operator]} ${parameter(uuidOrNil(attribute.idKind, `${test.value}`))}::uuid)`;
  const indexed = equal?.[name];
  if (indexed !== undefined && test.operator === "eq") return indexed(parameter(test.value));
  if (test.value instanceof Date)
    return compared(column, test.operator, `${parameter(test.value)}::timestamptz`);
  if (typeof test.value === "boolean")
    return compared(column, test.operator, `${parameter(test.value)}::boolean`);
  // In the collation "C", case is that of ASCII on every server.
  const fold = (text: string) =>
    attribute.caseExact === true ? `${text} collate "C"` : `lower(${text} collate "C")`;
  return textCompared(fold(column), test.operator, fold(`${parameter(test.value)}::text`));
}

function isText({ type, idKind }: BoundTest["attribute"]): boolean {
  return (type === "string" || type === "reference") && idKind === undefined;
}

const SIGNS: Readonly<Record<string, string>> = {
  eq: "=",
  ne: "is distinct from",
  gt: ">",
  ge: ">=",
  lt: "<",
  le: "<=",
};

function textCompared(column: string, operator: Exclude<Test["operator"], "pr">, value: string): string {
  switch (operator) {
    case "co":
      return `coalesce(strpos(${column}, ${value}) > 0, false)`;
    case "sw":
      return `coalesce(starts_with(${column}, ${value}), false)`;
    case "ew":
      return `coalesce(right(${column}, length(${value})) = ${value}, false)`;
    default:
      return compared(column, operator, value);
  }
}

/** A comparison without a value is false, so that `not` makes it true. */
function compared(column: string, operator: string, value: string): string {
  const sign = SIGNS[operator] ?? missing(operator);
  return operator === "ne" ? `(${column} ${sign} ${value})` : `coalesce(${column} ${sign} ${value}, false)`;
}

function missing(name: string): never {
  throw new Error(`The attribute ${name} has no column.`);
}
