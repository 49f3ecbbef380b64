import { gzipSync } from "node:zlib";
import type { Plugin, Rollup } from "vite";

/**
 * Fails the build if the files that a browser loads before the first screen exceed `limit` bytes after gzip.
 */
export function entryBudget(limit: number): Plugin {
  return {
    name: "entry-budget",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        const parts = entryFiles(bundle).map((file) => {
          const text = file.type === "chunk" ? file.code : file.source;
          return { name: file.fileName, bytes: gzipSync(text).length };
        });
        const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
        if (bytes <= limit) return;
        const list = parts.map((part) => `  ${part.name} ${part.bytes}`).join("\n");
        this.error(
          `The entry of the console is ${bytes} bytes after gzip, at most ${limit} are allowed:\n${list}`,
        );
      },
    },
  };
}

/** Returns the entry chunks with their static imports, and their styles. */
function entryFiles(bundle: Rollup.OutputBundle): (Rollup.OutputChunk | Rollup.OutputAsset)[] {
  const names = new Set<string>();
  const visit = (name: string) => {
    const chunk = bundle[name];
    if (names.has(name) || chunk?.type !== "chunk") return;
    names.add(name);
    for (const imported of chunk.imports) visit(imported);
  };
  for (const file of Object.values(bundle)) if (file.type === "chunk" && file.isEntry) visit(file.fileName);
  const styles = Object.values(bundle).filter((file) => /^assets\/(index|main).*\.css$/.test(file.fileName));
  return [...[...names].flatMap((name) => bundle[name] ?? []), ...styles];
}
