import { isImageType, mediaTypeOf } from "./media-type.ts";

/** An image's size in pixels. */
export interface ImageSize {
  width: number;
  height: number;
}

/** Returns the size that an image's header states; null when the bytes lack it, or are not an image. */
export function imageSize(bytes: Uint8Array): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    switch (mediaTypeOf(bytes)) {
      case "image/png":
        return textAt(bytes, 12, 4) === "IHDR" ? size(view.getUint32(16), view.getUint32(20)) : null;
      case "image/gif":
        return size(view.getUint16(6, true), view.getUint16(8, true));
      case "image/webp":
        return webpSize(bytes, view);
      case "image/jpeg":
        return jpegSize(view);
      default:
        return null;
    }
  } catch (error) {
    // The header continues after the bytes.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Returns whether an image or PDF is complete, by its header and, if the format has one, its end. */
export function isWhole(bytes: Uint8Array): boolean {
  const mediaType = mediaTypeOf(bytes);
  if (mediaType === null) return false;
  if (mediaType === "application/pdf")
    return textAt(bytes, Math.max(0, bytes.length - 4_096), 4_096).includes("%%EOF");
  if (!isImageType(mediaType)) return true;
  const found = imageSize(bytes);
  if (found === null || found.width === 0 || found.height === 0) return false;
  if (mediaType === "image/png") return Buffer.from(bytes).includes("IEND", 24, "latin1");
  if (mediaType === "image/webp") return littleEndian(bytes, 4, 4) + 8 <= bytes.length;
  return true;
}

function size(width: number, height: number): ImageSize {
  return { width, height };
}

/** Returns the size of a lossy image, a lossless one, or one with an extended header. */
function webpSize(bytes: Uint8Array, view: DataView): ImageSize | null {
  const chunk = textAt(bytes, 12, 4);
  if (chunk === "VP8 ") return size(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
  if (chunk === "VP8X") return size(1 + littleEndian(bytes, 24, 3), 1 + littleEndian(bytes, 27, 3));
  if (chunk !== "VP8L") return null;
  const bits = view.getUint32(21, true);
  return size(1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff));
}

/** Skips segments until one that begins a frame. */
function jpegSize(view: DataView): ImageSize | null {
  let at = 2;
  for (;;) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return size(view.getUint16(at + 7), view.getUint16(at + 5));
    if (marker === 0xff) at += 1;
    else if (marker === 0xda || marker === 0xd9) return null;
    else at += 2 + view.getUint16(at + 2);
  }
}

function littleEndian(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let index = length - 1; index >= 0; index--) value = value * 256 + (bytes[at + index] ?? 0);
  if (at + length > bytes.length) throw new RangeError("The bytes end before the number.");
  return value;
}

function textAt(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}
