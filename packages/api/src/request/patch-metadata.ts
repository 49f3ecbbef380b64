import { metadata as schema } from "@berth/contract";
import { errors } from "@berth/store/errors";

/**
 * Returns metadata with a patch applied: null removes a key. No patch keeps all keys, a null patch removes
 * all.
 *
 * @throws errors.invalid when the result has more pairs than allowed.
 */
export function patchMetadata(
  metadata: Record<string, string>,
  patch: Record<string, string | null> | null | undefined,
): Record<string, string> {
  if (patch === undefined) return metadata;
  if (patch === null) return {};
  const pairs = Object.entries({ ...metadata, ...patch });
  const patched = Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== null));
  if (!schema.safeParse(patched).success) {
    throw errors.invalid("Field 'metadata' must have at most 16 pairs.", "metadata");
  }
  return patched;
}
