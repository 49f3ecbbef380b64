// Subject: when the log fails in a nested loop of Explore, the turn ends as after any other failed append,
// and nothing is appended after it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { exploringTurn } from "../../test-support/explore.ts";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { says, scriptedModel, toolCall } from "../../test-support/scripted-model.ts";
import { testTool } from "../../test-support/turn.ts";
import { LeaseLost } from "../history/log.ts";
import type { Draft, LogEntry } from "../history/log-entry.ts";
import { parentCallOf } from "../history/nested-events.ts";
import { runTurn } from "../loop/run-turn.ts";

/** A log in which one append of a nested loop fails: the first with an event of this type. */
class FailingLog extends MemoryLog {
  readonly #type: string;
  readonly #error: Error;
  /** The number of entries when it failed. */
  failedAt: number | null = null;

  constructor(type: string, error: Error) {
    super();
    this.#type = type;
    this.#error = error;
    this.message("go");
  }

  override async append(drafts: readonly Draft[]): Promise<readonly LogEntry[]> {
    const fails = drafts.some(({ event }) => event.type === this.#type && parentCallOf(event) !== null);
    if (!fails || this.failedAt !== null) return await super.append(drafts);
    this.failedAt = this.entries.length;
    throw this.#error;
  }
}

for (const type of ["span.model_request_start", "agent.tool_use", "agent.tool_result", "agent.message"])
  for (const error of [new Error("the database is away"), new LeaseLost()])
    test(`${error.name} at the first ${type} of a loop → the turn rejects with it`, async () => {
      const log = new FailingLog(type, error);
      const never = Promise.withResolvers<void>();
      const waits = testTool("Wait", async (text, signal) => {
        signal.addEventListener("abort", () => never.resolve());
        await never.promise;
        return { content: [{ type: "text", text }], isError: false };
      });
      const calls = [toolCall("Explore", { question: "q" }), toolCall("Wait", { text: "x" })];
      const model = scriptedModel([{ blocks: calls }, says("Done.")]);
      const exploreModel = scriptedModel([{ blocks: [toolCall("Read", { text: "a" })] }, says("found")]);
      const searches = [testTool("Read")];
      await assert.rejects(
        runTurn(exploringTurn({ log, model, exploreModel, searches, tools: [waits] })),
        error,
      );
      assert.equal(log.entries.length, log.failedAt);
    });
