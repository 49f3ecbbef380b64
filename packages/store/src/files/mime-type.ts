import { isUtf8 } from "node:buffer";

/**
 * MIME types by file name extension. Types that a browser executes are included, because contents are never
 * served inline.
 */
const BY_EXTENSION: Readonly<Record<string, string>> = {
  avif: "image/avif",
  bz2: "application/x-bzip2",
  css: "text/css",
  csv: "text/csv",
  diff: "text/x-diff",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  epub: "application/epub+zip",
  gif: "image/gif",
  gz: "application/gzip",
  htm: "text/html",
  html: "text/html",
  ico: "image/vnd.microsoft.icon",
  ipynb: "application/x-ipynb+json",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  jsonl: "application/jsonl",
  md: "text/markdown",
  mjs: "text/javascript",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  ogg: "audio/ogg",
  parquet: "application/vnd.apache.parquet",
  patch: "text/x-diff",
  pdf: "application/pdf",
  png: "image/png",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  sqlite: "application/vnd.sqlite3",
  svg: "image/svg+xml",
  tar: "application/x-tar",
  toml: "application/toml",
  tsv: "text/tab-separated-values",
  wasm: "application/wasm",
  wav: "audio/wav",
  webm: "video/webm",
  webp: "image/webp",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "application/xml",
  xz: "application/x-xz",
  yaml: "application/yaml",
  yml: "application/yaml",
  zip: "application/zip",
  zst: "application/zstd",
};

const BY_MAGIC_NUMBER: readonly (readonly [string, string])[] = [
  ["89504e470d0a1a0a", "image/png"],
  ["ffd8ff", "image/jpeg"],
  ["47494638", "image/gif"],
  ["255044462d", "application/pdf"],
  ["504b0304", "application/zip"],
  ["1f8b", "application/gzip"],
];

/**
 * Returns the MIME type of a content, by the extension of its name, or else by its first bytes.
 * @param beginning Enough of the first bytes to recognize text.
 */
export function mimeTypeOf(name: string, beginning: Uint8Array): string {
  const known = mimeTypeByName(name);
  if (known !== undefined) return known;
  const hex = Buffer.from(beginning.subarray(0, 16)).toString("hex");
  const magic = BY_MAGIC_NUMBER.find(([start]) => hex.startsWith(start));
  if (magic !== undefined) return magic[1];
  return isText(beginning) ? "text/plain" : "application/octet-stream";
}

/** Returns the MIME type of a known extension, or undefined. */
export function mimeTypeByName(name: string): string | undefined {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
}

/** Returns whether the bytes are text. Their last character may be incomplete. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  return [0, 1, 2, 3].some((cut) => cut <= bytes.length && isUtf8(bytes.subarray(0, bytes.length - cut)));
}
