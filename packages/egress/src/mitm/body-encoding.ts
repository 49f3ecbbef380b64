import type { Duplex } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";

const decoders: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** Null for an encoding that is not known, and for several. */
export function decoderFor(encoding: string): Duplex | null {
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  return decoder?.() ?? null;
}

/** An Accept-Encoding header without what no body could be read in. */
export function knownEncodings(accepted: string): string {
  const known = accepted.split(",").filter((part) => {
    const name = part.split(";", 1)[0]?.trim().toLowerCase() ?? "";
    return name === "identity" || Object.hasOwn(decoders, name);
  });
  return known.map((part) => part.trim()).join(", ") || "identity";
}
