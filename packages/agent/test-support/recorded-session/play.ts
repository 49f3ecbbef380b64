import { DEFAULT_TOOL_NAMES, type SessionAgent } from "@berth/contract";
import { runTurn } from "../../src/loop/run-turn.ts";
import type { Tool } from "../../src/tools/tool.ts";
import type { MemoryLog } from "../memory-log.ts";
import { modelAt, startDouble } from "../models/providers.ts";
import type { Answer, AnswerBlock } from "../models/wire-double.ts";
import type { RealSandbox } from "../real-sandbox.ts";
import { testAgent, testTurn } from "../turn.ts";

/*
 * A session of `PREFIX_VERSION` 1. `log.jsonl` is its log after the first turn, one entry per line;
 * `request-1.txt` and `request-2.txt` are the bodies of the requests of its second turn. All were recorded
 * from this play.
 */

export const recordedAgent: SessionAgent = {
  ...testAgent,
  tools: [{ type: "agent_toolset_20260401", enabled_tools: [...DEFAULT_TOOL_NAMES] }],
};

/** Prepares the sandbox before the first turn. */
export const SETUP = `mkdir -p /data/app && cd /data/app && seq -f 'value %g' 1 1900 >long.txt && seq -f 'short %g' 1 60 >short.txt`;

const call = (id: string, tool: string, input: unknown): AnswerBlock => ({ tool, id, input });
const search = { pattern: "value", path: "app/long.txt", output_mode: "content", head_limit: 500 };

/** Results of the first turn are cut, and some of the second repeat what the model has. */
export const TURNS: readonly { message: string; answers: readonly Answer[] }[] = [
  {
    message: "Look around.",
    answers: [
      { blocks: [call("call_1", "Bash", { command: "cd app && seq 1 2600" })] },
      { blocks: [call("call_2", "Read", { file_path: "app/long.txt" })] },
      { blocks: [call("call_3", "Read", { file_path: "app/short.txt" }), call("call_4", "Grep", search)] },
      { blocks: [{ text: "Seen." }] },
    ],
  },
  {
    message: "Once more.",
    answers: [
      {
        blocks: [
          call("call_5", "Bash", { command: "seq 1 2000" }),
          call("call_6", "Bash", { command: "pwd; (exit 3)" }),
          call("call_7", "Read", { file_path: "app/short.txt" }),
          call("call_8", "Grep", { ...search, "-i": true }),
        ],
      },
      { blocks: [{ text: "The same." }] },
    ],
  },
];

/** Plays a turn on the log, and returns the bodies of its requests. */
export async function playTurn(
  turn: { message: string; answers: readonly Answer[] },
  parts: { log: MemoryLog; tools: readonly Tool[]; box: RealSandbox },
): Promise<string[]> {
  const { log, tools, box } = parts;
  const double = await startDouble("anthropic");
  try {
    double.enqueue(...turn.answers);
    log.message(turn.message);
    await runTurn(
      testTurn({
        agent: recordedAgent,
        model: modelAt(double.baseUrl, "anthropic"),
        log,
        tools: [...tools],
        sandbox: async () => box.sandbox,
      }),
    );
    return double.requests.map(({ text }) => text);
  } finally {
    await double.close();
  }
}
