import { UsageError } from "../../shared/failure.ts";
import type { Thing } from "./kinds.ts";

/** The pair of metadata that says which set an object belongs to. It is written in the request that makes the object. */
const MARK = "berth_apply_set";

/** @throws UsageError if it is not the name of a set */
export function requireSetName(set: string): void {
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(set))
    throw new UsageError(
      `The name of a set has up to 64 letters, digits, '.', '_' and '-': '${set}' is not one.`,
    );
}

export function setOf({ metadata }: Thing): string | undefined {
  return (metadata as Record<string, string> | undefined)?.[MARK];
}

/**
 * The body with the mark among its metadata. Metadata of null removes the pairs that there are, which a request that sets
 * a pair can only do one by one.
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
