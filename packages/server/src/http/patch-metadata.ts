import { metadata as schema } from "@berth/contract";
import { errors } from "./errors.ts";

/**
 * Metadata with a patch laid over: a key with null is taken away. No patch keeps all, null takes all away.
 *
 * @throws errors.invalid when more is left than an object may have.
 */
export function patchMetadata(
  metadata: Record<string, string>,
  patch: Record<string, string | null> | null | undefined,
): Record<string, string> {
  if (patch === undefined) return metadata;
  if (patch === null) return {};
  const pairs = Object.entries({ ...metadata, ...patch });
  const left = Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== null));
  if (!schema.safeParse(left).success) {
    throw errors.invalid("Field 'metadata' must have at most 16 pairs.", "metadata");
  }
  return left;
}
