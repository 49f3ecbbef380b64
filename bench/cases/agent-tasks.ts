import { type Played, play } from "../../tests/agent-tasks/frame/play.ts";
import type { Charge, Usage } from "../../tests/agent-tasks/frame/provider.ts";
import { startStage } from "../../tests/agent-tasks/frame/stage.ts";
import type { Form, Task } from "../../tests/agent-tasks/frame/task.ts";
import { TASKS } from "../../tests/agent-tasks/tasks/all-tasks.ts";
import { AnthropicCache } from "../tokens/cache/anthropic-cache.ts";
import { weighted } from "../tokens/cache/prompt.ts";
import { type CountTokens, loadTokenizer } from "../tokens/tokenizer.ts";
import { ANTHROPIC } from "../tokens/wires/anthropic.ts";

/** The duration of a response, and of the user's silence, on the provider's clock. */
const ANSWER_MS = 5_000;
const SILENCE_MS = 360_000;

const FORMS = ["usual", "whole"] as const satisfies readonly Form[];
type Pair = Record<(typeof FORMS)[number], Played>;

/**
 * Measures what shortened results and compactions cost in calls, and save in tokens. Tasks that need the
 * omitted parts are played twice: with both, and with the longest results and no compaction.
 */
export async function agentTaskCosts(): Promise<string> {
  const count = await loadTokenizer();
  const shared = TASKS.filter(({ alone }) => !alone);
  const groups = [...TASKS.filter(({ alone }) => alone).map((task) => [task]), shared];
  const pairs: [Task, Pair][] = [];
  for (const group of groups) pairs.push(...(await playAll(group, chargeBy(count))));
  const sums = sumOf(pairs.map(([, pair]) => pair));
  const lines = pairs.map(([{ name }, pair]) => [name, ...cells(sumOf([pair]))]);
  const head = ["task", "calls, whole", "calls", "more", "cost, whole", "cost", "ratio", "compactions"];
  const rows = [head, head.map(() => "---"), ...lines, [`all ${pairs.length}`, ...cells(sums)]];
  return rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/**
 * Plays tasks on one service. A task is played in both forms at the same time, unless it may kill the
 * service.
 */
async function playAll(tasks: readonly Task[], charge: Charge): Promise<[Task, Pair][]> {
  const plays = tasks.flatMap((task) => FORMS.map((form) => [task, form] as const));
  const stage = await startStage(plays, charge);
  try {
    const pairs: [Task, Pair][] = [];
    for (const task of tasks) {
      process.stderr.write(`  ${task.name} …\n`);
      const first = play(stage, task, "usual");
      if (task.alone) await first;
      const [usual, whole] = await Promise.all([first, play(stage, task, "whole")]);
      for (const { passed, story } of [usual, whole])
        if (!passed) throw new Error(`${task.name} failed:\n${story}`);
      pairs.push([task, { usual, whole }]);
    }
    return pairs;
  } finally {
    await stage.close();
  }
}

/**
 * Returns a function that charges like Anthropic. Each model of a stage is one session, and has its own cache
 * here.
 */
function chargeBy(count: CountTokens): Charge {
  const caches = new Map<string, AnthropicCache>();
  return (body, { usages, silences }) => {
    const cache = caches.get(body.model) ?? new AnthropicCache();
    caches.set(body.model, cache);
    const now = usages.length * ANSWER_MS + silences * SILENCE_MS;
    const { read, written5m, written1h, uncached } = cache.charge(ANTHROPIC.parse(body, count).blocks, now);
    return {
      input_tokens: uncached,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written5m + written1h,
    };
  };
}

function sumOf(pairs: readonly Pair[]) {
  const sum = (form: keyof Pair, of: (played: Played) => number) =>
    pairs.reduce((all, pair) => all + of(pair[form]), 0);
  const calls = ({ calls }: Played) => calls.length;
  const cost = ({ usages }: Played) => usages.reduce((all, usage) => all + costOf(usage), 0);
  return {
    calls: [sum("whole", calls), sum("usual", calls)] as const,
    cost: [sum("whole", cost), sum("usual", cost)] as const,
    compactions: sum("usual", ({ compactions }) => compactions),
  };
}

function costOf({ input_tokens, cache_read_input_tokens, cache_creation_input_tokens }: Usage): number {
  const written = { written5m: cache_creation_input_tokens, written1h: 0 };
  return weighted({ read: cache_read_input_tokens, uncached: input_tokens, ...written });
}

function cells({ calls, cost, compactions }: ReturnType<typeof sumOf>): (string | number)[] {
  const whole = (value: number) => Math.round(value).toLocaleString("en");
  const ratio = (cost[1] / cost[0]).toFixed(2);
  return [...calls, calls[1] - calls[0], ...cost.map(whole), ratio, compactions];
}
