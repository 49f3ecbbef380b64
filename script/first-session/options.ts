import { resolve } from "node:path";
import { parseArgs } from "node:util";

export interface UpOptions {
  /** End after the first session: exit code 0 only when its commit is on the git server. */
  once: boolean;
  model: string;
  dataDir: string;
  port: string;
}

export const usage = `Usage: script/up [--once] [--model PROVIDER/MODEL] [--data-dir DIR] [--port PORT]

Starts Berth and runs a first session: an agent clones this very repository over https from a git server on
loopback, changes it on a branch, commits and pushes.

  --once             end afterwards; the exit code is 0 only when the commit is on the git server
  --model NAME       who does it: rehearsal/steps (default, costs nothing) or one of yours, such as
                     anthropic/claude-opus-5 with ANTHROPIC_API_KEY set
  --data-dir DIR     where everything is kept (default: .berth in the working directory)
  --port PORT        where the API listens on 127.0.0.1 (default 4180; 0 is any free one)
`;

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
    if (values.help) return { help: usage, code: 0 };
    return {
      once: values.once,
      model: values.model,
      dataDir: resolve(values["data-dir"]),
      port: values.port,
    };
  } catch (error) {
    return { help: `${(error as Error).message}\n\n${usage}`, code: 2 };
  }
}
