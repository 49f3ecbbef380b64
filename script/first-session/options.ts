import { resolve } from "node:path";
import { parseArgs } from "node:util";

export interface UpOptions {
  /** Exit after the first session, with 0 only if its commit is on the git server. */
  once: boolean;
  model: string;
  dataDir: string;
  port: string;
}

const USAGE = `Usage: script/up [--once] [--model PROVIDER/MODEL] [--data-dir DIR] [--port PORT]

Starts Berth and runs a first session: an agent clones this repository over https from a local git server,
changes it on a branch, commits and pushes.

  --once             exit after the first session, with 0 only if its commit is on the git server
  --model NAME       the agent's model: rehearsal/steps (default, costs nothing) or one of yours, such as
                     anthropic/claude-opus-5 with ANTHROPIC_API_KEY set
  --data-dir DIR     directory for all state (default: .berth in the working directory)
  --port PORT        port of the API on 127.0.0.1 (default 4180; 0 for any free port)
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
