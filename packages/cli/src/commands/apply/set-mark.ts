import { UsageError } from "../../shared/failure.ts";
import type { Thing } from "./kinds.ts";

/**
 * Key of the metadata pair with the set of an object. It is written by the request that creates the object.
 */
const MARK = "berth_apply_set";

/** Requires a valid name of a set. @throws UsageError if it is not one. */
export function requireSetName(set: string): void {
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(set))
    throw new UsageError(
      `'${set}' is not the name of a set, which has up to 64 letters, digits, '.', '_' and '-'.`,
    );
}

/** Returns the set of an object, or undefined. */
export function setOf({ metadata }: Thing): string | undefined {
  return (metadata as Record<string, string> | undefined)?.[MARK];
}

/**
 * Returns the body with the mark in its metadata. Metadata of null removes all existing pairs; in a request
 * that sets a pair, each of them must be removed by name.
 */
export function withMark(
  body: Record<string, unknown>,
  set: string | undefined,
  known: Thing | undefined,
): Record<string, unknown> {
  if (set === undefined) return body;
  const { metadata = {} } = body;
  if (metadata === null) {
    const pairs = Object.keys((known?.metadata as object | undefined) ?? {}).map((name) => [name, null]);
    return { ...body, metadata: { ...Object.fromEntries(pairs), [MARK]: set } };
  }
  if (typeof metadata !== "object" || Array.isArray(metadata)) return body;
  return { ...body, metadata: { ...metadata, [MARK]: set } };
}
