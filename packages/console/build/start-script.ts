import type { Plugin } from "vite";

/** Puts a script before everything else in the page, so that it notices files that fail to load. */
export function startScript(source: string): Plugin {
  let base = "/";
  return {
    name: "start-script",
    apply: "build",
    configResolved: (config) => {
      base = config.base;
    },
    buildStart() {
      this.emitFile({ type: "chunk", id: source, name: "start" });
    },
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle = {} }) {
        const file = Object.values(bundle).find((part) => part.name === "start");
        if (file === undefined) throw new Error(`The bundle has no chunk of ${source}.`);
        const attrs = { type: "module", crossorigin: true, src: `${base}${file.fileName}` };
        return [{ tag: "script", attrs, injectTo: "head-prepend" }];
      },
    },
  };
}
