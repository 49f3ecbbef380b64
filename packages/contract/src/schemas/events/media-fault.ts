import { imageSize, isWhole } from "./image-size.ts";

/** Maximum pixels per side by Anthropic; other providers scale larger images down or state no limit. */
export const MAX_IMAGE_SIDE = 8_000;

/**
 * Returns why providers would reject an image or a PDF, as the end of a sentence; null if no fault is visible
 * without decoding it.
 *
 * @param bytes the whole content, or its first bytes with `isHead`.
 */
export function mediaFault(bytes: Uint8Array, { isHead = false } = {}): string | null {
  if (!isHead && !isWhole(bytes)) return "is broken or cut off";
  const size = imageSize(bytes);
  if (size === null || Math.max(size.width, size.height) <= MAX_IMAGE_SIDE) return null;
  return `is an image of ${size.width} × ${size.height} pixels; at most ${MAX_IMAGE_SIDE} × ${MAX_IMAGE_SIDE} can be shown to a model`;
}
