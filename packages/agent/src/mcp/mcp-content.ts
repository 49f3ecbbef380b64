import { isImageType, mediaFault, mediaTypeOf } from "@berth/contract";
import { isObject } from "../tool-schemas/json-schema.ts";

/** A part of a result: text, an image that models accept, or bytes that only a program can use. */
export type ContentPart =
  | { type: "text"; text: string }
  | { type: "image"; mediaType: ImageType; bytes: Buffer; what: string }
  | { type: "bytes"; bytes: Buffer; what: string };

type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** Converts the content of a result or resource. A block of unknown form becomes a note. */
export function contentParts(blocks: readonly unknown[]): ContentPart[] {
  return blocks.map((block) => (isObject(block) ? contentPart(block) : unknownPart()));
}

/** Converts one item of a resource's `contents`. */
export function resourcePart(resource: unknown): ContentPart {
  if (!isObject(resource)) return unknownPart();
  const { uri, text: content, blob, mimeType } = resource;
  if (typeof content === "string") return text(`[Resource ${shown(uri)}]\n${content}`);
  if (typeof blob !== "string") return unknownPart();
  return binary(blob, `Resource ${shown(uri)} of type ${shown(mimeType)}`);
}

function contentPart(block: Record<string, unknown>): ContentPart {
  const { type, data, mimeType } = block;
  if (type === "text" && typeof block.text === "string") return text(block.text);
  if (type === "image" && typeof data === "string") return binary(data, "image");
  if (type === "audio" && typeof data === "string") return binary(data, `Audio of type ${shown(mimeType)}`);
  if (type === "resource_link") {
    const about = [block.name, block.description].filter((one) => typeof one === "string" && one !== "");
    return text(`[Resource ${shown(block.uri)}: ${about.join(", ")}]`);
  }
  if (type === "resource") return resourcePart(block.resource);
  return unknownPart();
}

/** Detects the type from the bytes: providers reject a request with an invalid image. */
function binary(base64: string, what: string): ContentPart {
  const bytes = Buffer.from(base64, "base64");
  const mediaType = mediaTypeOf(bytes);
  if (mediaType === null || !isImageType(mediaType)) return { type: "bytes", bytes, what };
  const fault = mediaFault(bytes);
  if (fault !== null) return { type: "bytes", bytes, what: `${what}, which ${fault}` };
  return { type: "image", mediaType, bytes, what };
}

function unknownPart(): ContentPart {
  return text("[Content of a kind that is not known here.]");
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : "unknown";
}

function text(content: string): ContentPart {
  return { type: "text", text: content };
}
