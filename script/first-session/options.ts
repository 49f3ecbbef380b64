import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

export interface UpOptions {
  /** Exits after the first session, with 0 only if its commit is on the git server. */
  once: boolean;
  model: string;
  dataDir: string;
  port: string;
}

const USAGE = readFileSync(new URL("usage.txt", import.meta.url), "utf8");

/** Parses the arguments of `up`. Returns a text and an exit code if nothing is to be started. */
export function readOptions(args: string[]): UpOptions | { help: string; code: number } {
  try {
    const { values } = parseArgs({
      args,
      options: {
        once: { type: "boolean", default: false },
        model: { type: "string", default: "rehearsal/steps" },
        "data-dir": { type: "string", default: ".berth" },
        port: { type: "string", default: "4180" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) return { help: USAGE, code: 0 };
    return {
      once: values.once,
      model: values.model,
      dataDir: resolve(values["data-dir"]),
      port: values.port,
    };
  } catch (error) {
    return { help: `${(error as Error).message}\n\n${USAGE}`, code: 2 };
  }
}
