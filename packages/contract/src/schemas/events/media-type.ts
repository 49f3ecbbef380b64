/** Detects images and documents that models accept by their first bytes; null for anything else. */
export function mediaTypeOf(bytes: Uint8Array): MediaType | null {
  const head = latin1(bytes.subarray(0, 1_024));
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif";
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WEBP") return "image/webp";
  return head.includes("%PDF-") ? "application/pdf" : null;
}

export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];
export type MediaType = ImageType | "application/pdf";

export function isImageType(mediaType: string): mediaType is ImageType {
  return (IMAGE_TYPES as readonly string[]).includes(mediaType);
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
