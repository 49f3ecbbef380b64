import { imageSize, isWhole } from "./image-size.ts";

/** In pixels: what Anthropic accepts; other providers make larger images smaller or name no limit. */
export const MAX_IMAGE_SIDE = 8_000;

/**
 * What keeps providers from taking an image or a PDF, as the end of a sentence; null if nothing is seen without decoding it.
 *
 * @param bytes all of it, or with `isHead` its first bytes.
 */
export function mediaFault(bytes: Uint8Array, { isHead = false } = {}): string | null {
  if (!isHead && !isWhole(bytes)) return "is broken or cut off";
  const size = imageSize(bytes);
  if (size === null || Math.max(size.width, size.height) <= MAX_IMAGE_SIDE) return null;
  return `is an image of ${size.width} × ${size.height} pixels; at most ${MAX_IMAGE_SIDE} × ${MAX_IMAGE_SIDE} can be shown to a model`;
}
