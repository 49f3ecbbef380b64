import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Encoding } from "../../../http/accepted-encoding.ts";

/** Output directory of the console's build. */
export const BUNDLE = join(import.meta.dirname, "../../../../../console/dist");

/** A file of the bundle, as it is sent. `encoding` is null when it is not compressed. */
export interface BundleFile {
  type: string;
  content: Buffer;
  encoding: Encoding | null;
  /** Entity tag, derived from the content. */
  etag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

const SUFFIXES: Readonly<Record<Encoding, string>> = { br: ".br", gzip: ".gz" };

/** The built console: `index.html` and `assets/NAME-HASH.EXT`, each beside its compressed forms. */
export class Bundle {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Reads the page. Returns null when the console is not built. */
  async page(encoding: Encoding | null): Promise<BundleFile | null> {
    return await this.#file("index.html", encoding);
  }

  /** Reads an asset. Returns null when there is none of this name. */
  async asset(name: string, encoding: Encoding | null): Promise<BundleFile | null> {
    if (!/^\w[\w.-]*$/.test(name)) return null;
    return await this.#file(join("assets", name), encoding);
  }

  async #file(path: string, encoding: Encoding | null): Promise<BundleFile | null> {
    const type = TYPES[extname(path)];
    if (type === undefined) return null;
    const whole = join(this.#directory, path);
    const encoded = encoding === null ? null : await contentOf(whole + SUFFIXES[encoding]);
    const content = encoded ?? (await contentOf(whole));
    if (content === null) return null;
    const hash = createHash("sha256").update(content).digest("hex").slice(0, 16);
    return { type, content, encoding: encoded === null ? null : encoding, etag: `"${hash}"` };
  }
}

async function contentOf(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR") return null;
    throw error;
  }
}
