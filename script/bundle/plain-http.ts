import http from "node:http";
import type { Plugin } from "esbuild";

const NAMESPACE = "plain-http";

/**
 * A plugin that provides `node:http` without the exports that load the client of `fetch` when read. An import
 * reads all exports of a module, which costs 25 ms of a start and four megabytes in a process that may never
 * use `fetch`.
 */
export const plainHttp: Plugin = {
  name: "plain-http",
  setup(build) {
    build.onResolve({ filter: /^node:http$/ }, ({ kind, path }) =>
      kind === "import-statement" ? { path, namespace: NAMESPACE } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: NAMESPACE }, () => ({
      contents: `export const { ${plainExports().join(", ")} } = process.getBuiltinModule("node:http");`,
    }));
  },
};

function plainExports(): string[] {
  const properties = Object.entries(Object.getOwnPropertyDescriptors(http));
  return properties.flatMap(([name, { get }]) => (get === undefined ? [name] : []));
}
