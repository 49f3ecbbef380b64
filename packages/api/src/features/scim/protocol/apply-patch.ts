import type { BoundFilter } from "./bind-filter.ts";
import { meets, type Resource } from "./evaluate-filter.ts";
import type { PatchOperation } from "./patch-operations.ts";
import { isObject, readValue } from "./read-resource.ts";
import { ScimError } from "./scim-error.ts";

/**
 * Returns the resource after the operations, which are applied in order.
 *
 * @throws ScimError invalidValue; noTarget for a filter that no value meets and that says no value to add.
 */
export function applyPatch(resource: Resource, operations: readonly PatchOperation[]): Resource {
  const changed = structuredClone(resource);
  for (const operation of operations) {
    const { attribute } = operation;
    const before = changed[attribute.name];
    const after =
      attribute.multiValued === true
        ? changedValues(Array.isArray(before) ? (before as Resource[]) : [], operation)
        : changedValue(before, operation);
    if (after === undefined) delete changed[attribute.name];
    else changed[attribute.name] = after;
  }
  return changed;
}

function changedValue(before: unknown, { op, attribute, sub, value }: PatchOperation): unknown {
  if (sub !== null) {
    const parts = isObject(before) ? before : {};
    return withPart(parts, sub.name, op === "remove" ? undefined : readValue(sub, value));
  }
  if (op === "remove") return undefined;
  const read = readValue(attribute, value);
  // Parts that are not given keep their values (RFC 7644, section 3.5.2.3).
  return isObject(read) && isObject(before) ? { ...before, ...read } : read;
}

function withPart(parts: Resource, name: string, value: unknown): Resource | undefined {
  const { [name]: _, ...others } = parts;
  const changed = value === undefined ? others : { ...others, [name]: value };
  return Object.keys(changed).length === 0 ? undefined : changed;
}

function changedValues(before: readonly Resource[], operation: PatchOperation): Resource[] | undefined {
  const after =
    operation.filter === null && operation.sub === null
      ? changedList(before, operation)
      : changedMatches(before, operation);
  return after.length === 0 ? undefined : after;
}

function changedList(before: readonly Resource[], { op, attribute, value }: PatchOperation): Resource[] {
  const given = (readValue(attribute, value) ?? []) as Resource[];
  if (op === "replace") return given;
  const isGiven = (one: Resource) => given.some((other) => other.value === one.value);
  // Microsoft Entra ID names the values to remove in `value`.
  if (op === "remove") return value == null ? [] : before.filter((one) => !isGiven(one));
  const kept = before.filter((one) => !given.some((other) => isSame(one, other)));
  return withOnePrimary(kept, given);
}

/** Returns both lists as one. A new primary value is the only one. */
function withOnePrimary(kept: readonly Resource[], given: readonly Resource[]): Resource[] {
  const hasPrimary = given.some((one) => one.primary === true);
  return [...(hasPrimary ? kept.map(notPrimary) : kept), ...given];
}

function notPrimary(one: Resource): Resource {
  return one.primary === true ? { ...one, primary: false } : one;
}

function isSame(one: Resource, other: Resource): boolean {
  return one.value === other.value && one.type === other.type;
}

function changedMatches(
  before: readonly Resource[],
  { op, attribute, filter, sub, value }: PatchOperation,
): Resource[] {
  const isMeant = (one: Resource) => filter === null || meets(one, filter);
  if (op === "remove") {
    if (sub === null) return before.filter((one) => !isMeant(one));
    return before.flatMap((one): Resource[] => {
      const left = isMeant(one) ? withPart(one, sub.name, undefined) : one;
      return left === undefined ? [] : [left];
    });
  }
  const read = sub === null ? readValue(attribute, [value]) : readValue(sub, value);
  const parts = (sub === null ? (read as Resource[] | undefined)?.[0] : { [sub.name]: read }) ?? {};
  if (!before.some(isMeant)) return withOnePrimary(before, [{ ...partsOf(filter), ...parts }]);
  return before.map((one) => {
    if (isMeant(one)) return { ...one, ...parts };
    return parts.primary === true ? notPrimary(one) : one;
  });
}

/**
 * Returns the value that a filter like `type eq "work"` describes, to which Microsoft Entra ID adds parts.
 *
 * @throws ScimError noTarget for any other filter.
 */
function partsOf(filter: BoundFilter | null): Resource {
  if (filter === null) return {};
  if (filter.kind === "and") return Object.assign({}, ...filter.parts.map(partsOf));
  if (filter.kind === "test" && filter.test.operator === "eq" && filter.test.value !== null)
    return { [filter.attribute.name]: filter.test.value };
  throw new ScimError("noTarget", "No value of the attribute meets the filter of the path.");
}
