import { retriesLine } from "./module-text.ts";
import { CORRECT, FAULT, LARGE_FILE, modulePath, RUN_DUMP, RUN_SUITE, SUITE } from "./repository.ts";
import type { Call, Step } from "./translate.ts";

/** A message of the user, and the model's steps after it. */
export interface Turn {
  message: string;
  steps: readonly Step[];
}

/** The turns that all contenders follow. */
export interface Script {
  name: "short" | "long" | "pause" | "reads";
  /** The limit of input and output tokens together. */
  window: number;
  /** The jump of the provider's clock between two turns. */
  pauseMs: number;
  turns: readonly Turn[];
}

const FIRST_MESSAGE =
  "The checks of this repository fail (`awk -f checks/suite.awk`). Find out why, mend it, and raise the number of retries of the modules that you come across. Keep to the style of the code. The totals of the checks count.";
const SECOND_MESSAGE =
  "Good. Now look through the modules of the other areas in the same way, and run the checks again before and after you change anything.";

/** Returns a script of 40 steps with 45 calls, a pause of six minutes, and 39 steps with 41 calls. */
export function shortScript(): Script {
  const work = new Work();
  const turns = [
    { message: FIRST_MESSAGE, steps: firstTurn(work) },
    { message: SECOND_MESSAGE, steps: secondTurn(work) },
  ];
  return { name: "short", window: 200_000, pauseMs: 360_000, turns };
}

/** Returns a script of 400 steps of one call. */
export function longScript(): Script {
  const work = new Work();
  const steps = Array.from({ length: 8 }, (_, round) => longRound(work, round)).flat();
  return { name: "long", window: 100_000, pauseMs: 0, turns: [{ message: FIRST_MESSAGE, steps }] };
}

/**
 * Returns a script with 150,000 tokens of files, for an agent that shows them whole, a pause of six minutes,
 * and one more step.
 */
export function pauseScript(): Script {
  const work = new Work();
  const steps = [ENTER, ...Array.from({ length: 28 }, () => work.together(4))];
  const turns = [
    { message: FIRST_MESSAGE, steps },
    { message: SECOND_MESSAGE, steps: [run("git status")] },
  ];
  return { name: "pause", window: 200_000, pauseMs: 360_000, turns };
}

/** Returns a script of 100 small reads. */
export function readScript(): Script {
  const turns = [{ message: FIRST_MESSAGE, steps: new Work().modules(100) }];
  return { name: "reads", window: 200_000, pauseMs: 0, turns };
}

const run = (command: string): Step => [{ do: "run", command }];
const search = (pattern: string): Step => [{ do: "search", pattern }];
const read = (...paths: string[]): Step => paths.map((path): Call => ({ do: "read", path }));
const ENTER = run("cd {root} && git status --short && ls");
/** Three different commands, since opencode asks for permission at the third identical one. */
const SLEEPS: Step = [1, 2, 3].map((number) => ({ do: "run", command: `sleep 1 && echo ${number}` }));
const BREAK: Step = [{ do: "edit", path: SUITE, before: CORRECT, after: FAULT }];
const MEND: Step = [{ do: "edit", path: SUITE, before: FAULT, after: CORRECT }];

/** The work of a script, which takes one module after another and raises the retries of some. */
class Work {
  #next = 0;
  readonly #retries = new Map<number, number>();

  modules(count: number): Step[] {
    return Array.from({ length: count }, () => read(modulePath(this.#take())));
  }

  together(count: number): Step {
    return Array.from({ length: count }, (): Call => ({ do: "read", path: modulePath(this.#take()) }));
  }

  /** Reads a module, edits it, and reads it again. */
  raise(): Step[] {
    const module = this.#take();
    const value = this.#retries.get(module) ?? 3;
    this.#retries.set(module, value + 1);
    const path = modulePath(module);
    const [before, after] = [value, value + 1].map((one) => retriesLine(`${module}`, one));
    if (before === undefined || after === undefined) return [];
    return [read(path), [{ do: "edit", path, before, after }], read(path)];
  }

  #take(): number {
    this.#next += 1;
    return (this.#next * 37) % 700;
  }
}

function firstTurn(work: Work): Step[] {
  return [
    ...[ENTER, search("applyCredit"), read("README.md"), run("git log --oneline"), ...work.modules(3)],
    ...[work.together(4), search("checkInvoiceAmount"), ...work.modules(4)],
    ...[run("ls -l src/billing/part-0"), read(LARGE_FILE), search("mergeRoute"), ...work.modules(1)],
    ...[run(RUN_SUITE), read(SUITE), ...work.modules(3), SLEEPS, ...work.modules(1)],
    ...[run(RUN_DUMP), search("resolvePayment"), ...work.raise(), ...work.raise(), run("git diff")],
    ...[read(SUITE), MEND, run(RUN_SUITE), ...work.modules(2), run("git diff --stat"), run("git status")],
  ];
}

function secondTurn(work: Work): Step[] {
  return [
    ...[run(RUN_SUITE), search("orderShift"), work.together(3), ...work.modules(9), ...work.raise()],
    ...[search("splitAccount"), ...work.modules(7), run("git diff --stat"), ...work.raise()],
    ...[search("collectStock"), ...work.modules(5), run(RUN_SUITE), ...work.raise(), run("git diff --stat")],
    run("git status"),
  ];
}

/** Returns 50 steps: the suite fails, is mended, passes, and is broken again. */
function longRound(work: Work, round: number): Step[] {
  const rare = [run(RUN_DUMP), read(LARGE_FILE), run("git log --oneline"), run("ls src")];
  return [
    ...[round === 0 ? ENTER : run("git status --short"), search("applyCredit"), ...work.modules(7)],
    ...[run(RUN_SUITE), read(SUITE), MEND, ...work.modules(4), ...work.raise(), search("mergeRoute")],
    ...[run(RUN_SUITE), ...work.modules(7), ...rare.slice(round % 4, (round % 4) + 1)],
    ...[run("git diff --stat"), ...work.raise(), search("deriveDiscount"), ...work.modules(6)],
    ...[...work.raise(), run("git diff --stat"), ...work.modules(4), read(SUITE), BREAK],
  ];
}
