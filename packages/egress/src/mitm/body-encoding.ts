import type { Duplex } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import type { Encoding } from "./inject.ts";

/** Returns how text is encoded in a body of this content type, or null for a body that is not text. */
export function textEncoding(contentType: string | undefined): Encoding | null {
  const type = (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (/^application\/(?:[\w.-]+\+)?json$|^application\/(?:x-)?(?:ndjson|jsonlines)$/.test(type))
    return "json";
  if (type === "application/x-www-form-urlencoded") return "percent";
  if (/^(?:application|text|image)\/(?:[\w.-]+\+)?xml$/.test(type)) return "xml";
  const isPlain = /^text\/|^multipart\/form-data$|^application\/(?:graphql|javascript|x-yaml|yaml|toml)$/;
  return isPlain.test(type) ? "plain" : null;
}

const DECODERS: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** Returns a decoder for a Content-Encoding, or null for an unknown encoding or a list of several. */
export function decoderFor(encoding: string): Duplex | null {
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  return decoder?.() ?? null;
}

/** Reduces an Accept-Encoding header to the encodings that `decoderFor` knows. */
export function knownEncodings(accepted: string): string {
  const known = accepted.split(",").filter((part) => {
    const name = part.split(";", 1)[0]?.trim().toLowerCase() ?? "";
    return name === "identity" || Object.hasOwn(DECODERS, name);
  });
  return known.map((part) => part.trim()).join(", ") || "identity";
}
