// A program for tests of supervised processes.
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { exitAfterAnswer, parentCalls, type Signs, tellSigns } from "../src/processes/parent-calls.ts";
import type { ProcessCalls } from "../src/processes/process-calls.ts";

export type SampleCalls = {
  start: { given: { fails: boolean }; answer: null };
  double: { given: number; answer: number };
  /** Asks the parent, and returns what it answered. */
  relay: { given: string; answer: string };
  never: { given: null; answer: null };
  exit: { given: number; answer: null };
  /** Answers each connection of the server with its pid. */
  join: { given: null; answer: null };
  stop: { given: null; answer: null };
};
export type ParentOfSampleCalls = Signs<number> & { word: { given: string; answer: string } };

const calls: ProcessCalls<ParentOfSampleCalls> = parentCalls<SampleCalls, ParentOfSampleCalls>({
  start({ fails }) {
    if (fails) {
      exitAfterAnswer(1);
      throw new Error("It cannot start.");
    }
    tellSigns(calls, () => process.pid);
    return null;
  },
  double: (number) => number * 2,
  relay: (word): Promise<string> => calls.call("word", word),
  never: () => new Promise(() => undefined),
  exit: (code) => process.exit(code),
  async join(_given, handle) {
    const server = createServer((socket) => socket.end(`${process.pid}`)).listen(handle as Server);
    await once(server, "listening");
    return null;
  },
  stop: () => process.exit(0),
});
