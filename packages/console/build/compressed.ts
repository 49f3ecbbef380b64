import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

/** Bytes below which a file is not worth compressing. */
const MIN_SIZE = 1_024;
/** Bytes above which the best compression takes seconds for little gain. */
const LARGE_SIZE = 1_000_000;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/**
 * Writes each file of the bundle also as `.br` and `.gz`, so that the service does not compress at run time.
 */
export function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    enforce: "post",
    generateBundle: {
      order: "post",
      async handler(_options, bundle) {
        const files = Object.values(bundle).map((file) => ({
          name: file.fileName,
          content: Buffer.from(file.type === "chunk" ? file.code : file.source),
        }));
        for (const { name, content } of files.filter(({ content }) => content.length >= MIN_SIZE)) {
          const params = { [constants.BROTLI_PARAM_QUALITY]: content.length < LARGE_SIZE ? 10 : 9 };
          const [br, gz] = await Promise.all([toBrotli(content, { params }), toGzip(content, { level: 9 })]);
          this.emitFile({ type: "asset", fileName: `${name}.br`, source: br });
          this.emitFile({ type: "asset", fileName: `${name}.gz`, source: gz });
        }
      },
    },
  };
}
