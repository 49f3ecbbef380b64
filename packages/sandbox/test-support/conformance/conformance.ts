import { after, before, describe } from "node:test";
import { commandTests } from "./command-tests.ts";
import type { Subject, Suite } from "./context.ts";
import { credentialTests } from "./credential-tests.ts";
import { diskTests } from "./disk-tests.ts";
import { fileTests } from "./file-tests.ts";
import { inspectTests } from "./inspect-tests.ts";
import { isolationTests } from "./isolation-tests.ts";
import { keptShellTests } from "./kept-shell-tests.ts";
import { killTests } from "./kill-tests.ts";
import { lifecycleTests } from "./lifecycle-tests.ts";
import { outputTests } from "./output-tests.ts";
import { pathTests } from "./path-tests.ts";
import { portTests } from "./port-tests.ts";
import { probeTests } from "./probe-tests.ts";
import { programTests } from "./program-tests.ts";
import { saveTests } from "./save-tests.ts";
import { shellTests } from "./shell-tests.ts";
import { snapshotTests } from "./snapshot-tests.ts";
import { spareShellTests } from "./spare-shell-tests.ts";
import { togetherTests } from "./together-tests.ts";

export type { Subject } from "./context.ts";

/** Returns a subject for files in which every test is skipped. */
export async function unusedSubject(): Promise<Subject> {
  const engine = new Proxy({} as Subject["engine"], {
    get() {
      throw new Error("every test is skipped");
    },
  });
  return { engine, uid: 0, close: async () => {} };
}

export interface ConformanceOptions {
  /**
   * Returns why the test at a position is not run, where there is little time, or false. Default: all run.
   */
  notInSample?: Suite["notInSample"];
  /**
   * Whether all escape probes form one test, for an engine whose sandboxes start slowly. Default: one test
   * for each group.
   */
  probesTogether?: boolean;
}

/**
 * Defines the tests of what `SandboxEngine` promises, the same for every engine.
 *
 * @param makeEngine Called once; `close` of its result is called at the end.
 * @param skips Reasons to skip, by title; `*` skips all tests except those with an empty reason.
 */
export function conformance(
  name: string,
  makeEngine: () => Promise<Subject>,
  skips: Readonly<Record<string, string>> = {},
  { notInSample = () => false, probesTogether = false }: ConformanceOptions = {},
): void {
  describe(`${name} keeps the promises of a sandbox engine`, () => {
    let subject: Subject | null = null;
    before(async () => {
      subject = await makeEngine();
    });
    after(() => subject?.close());
    const suite: Suite = {
      skips,
      notInSample,
      probesTogether,
      defined: 0,
      subject() {
        if (!subject) throw new Error("the engine was not made");
        return subject;
      },
    };
    for (const tests of [
      lifecycleTests,
      commandTests,
      outputTests,
      shellTests,
      spareShellTests,
      togetherTests,
      keptShellTests,
      killTests,
      diskTests,
      snapshotTests,
      fileTests,
      saveTests,
      inspectTests,
      isolationTests,
      pathTests,
      programTests,
      portTests,
      credentialTests,
      probeTests,
    ])
      tests(suite);
  });
}
