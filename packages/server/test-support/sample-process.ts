// A program for tests of supervised processes.
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { exitAfterAnswer, parentCalls, reportSigns, type Signs } from "../src/processes/parent-calls.ts";
import type { ProcessCalls } from "../src/processes/process-calls.ts";

export type SampleCalls = {
  start(given: { fails: boolean }): void;
  double(given: number): number;
  /** Calls the parent, and returns its response. */
  relay(given: string): string;
  never(given: null): void;
  exit(given: number): void;
  /** Responds to each connection of the server with its pid. */
  join(given: null): void;
  stop(given: null): void;
};
export type ParentOfSampleCalls = Signs<number> & { word(given: string): string };

const calls: ProcessCalls<ParentOfSampleCalls> = parentCalls<SampleCalls, ParentOfSampleCalls>({
  start({ fails }) {
    if (fails) {
      exitAfterAnswer(1);
      throw new Error("It cannot start.");
    }
    reportSigns(calls, () => process.pid);
  },
  double: (number) => number * 2,
  relay: (word): Promise<string> => calls.call("word", word),
  never: () => new Promise(() => undefined),
  exit: (code) => process.exit(code),
  async join(_given, handle) {
    const server = createServer((socket) => socket.end(`${process.pid}`)).listen(handle as Server);
    await once(server, "listening");
  },
  stop: () => process.exit(0),
});
