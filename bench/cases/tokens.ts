import { table } from "../figure.ts";
import { berth } from "../tokens/agents/berth.ts";
import { CLAUDE_CODE } from "../tokens/agents/claude-code.ts";
import { CODEX } from "../tokens/agents/codex.ts";
import type { Contender } from "../tokens/agents/contender.ts";
import { OPENCODE } from "../tokens/agents/opencode.ts";
import { PI } from "../tokens/agents/pi.ts";
import { follow, type Run } from "../tokens/run.ts";
import { exploring } from "../tokens/task/exploring.ts";
import { longScript, pauseScript, readScript, shortScript } from "../tokens/task/script.ts";
import { tokenFigures } from "../tokens/token-figures.ts";
import { tokenTables } from "../tokens/token-tables.ts";
import { loadTokenizer } from "../tokens/tokenizer.ts";

const OWN = berth("Berth");
/** An agent that asks a nested loop what it looks for. */
const EXPLORING = berth("Berth with Explore", { explores: true });
/** Agents that compact so late that the pause comes at the script's intended size. */
const PAUSED = [
  berth("Berth", { model: { compact_at: 190_000 } }),
  berth("Berth without compact_when_idle", { model: { compact_at: 190_000, compact_when_idle: false } }),
];
const PEERS: readonly Contender[] = [CLAUDE_CODE, CODEX, OPENCODE, PI];

/**
 * Measures what an agent's loop costs in tokens and in waiting, beside other agents at their defaults, which
 * it installs. A provider on loopback has a model that follows the same task with the tools of each agent,
 * and counts what it would charge. An agent that cannot be installed or does not complete a script is
 * missing, with a line that says why. `BENCH_BUILD=PATH` adds the `bin/berth` of another build, and
 * `BENCH_AGENTS=NAME,…` runs only agents whose names begin so.
 */
export async function tokenCosts(): Promise<string> {
  const other = process.env.BENCH_BUILD;
  const chosen = (process.env.BENCH_AGENTS ?? "").split(",");
  const all = [OWN, ...(other === undefined ? [] : [berth("the other build", { binary: other })]), ...PEERS];
  const contenders = all.filter(({ name }) => chosen.some((begin) => name.startsWith(begin)));
  const count = await loadTokenizer();
  const runs: Run[] = [];
  const missing: string[] = [];
  const scripts = [
    ...[shortScript(), longScript()].flatMap((script) => [
      { script, contenders },
      { script: exploring(script), contenders: contenders.includes(OWN) ? [EXPLORING] : [] },
    ]),
    { script: readScript(), contenders: contenders.filter((one) => !PEERS.includes(one)) },
    { script: pauseScript(), contenders: contenders.includes(OWN) ? PAUSED : [] },
  ];
  for (const { script, contenders } of scripts) {
    for (const contender of contenders) {
      process.stderr.write(`  ${script.name}: ${contender.name} …\n`);
      try {
        runs.push(await follow(contender, script, count));
      } catch (error) {
        const reason = error instanceof Error ? error.message : `${error}`;
        missing.push(`- ${contender.name}, ${script.name}: ${reason}`);
      }
    }
  }
  const of = (name: Run["script"]) => runs.filter(({ script }) => script === name);
  const figures = tokenFigures(
    runs,
    OWN.name,
    PEERS.map(({ name }) => name),
  );
  return [
    table(figures),
    tokenTables({ short: of("short"), long: of("long"), pause: of("pause"), reads: of("reads") }),
    ...(missing.length > 0 ? [missing.join("\n")] : []),
  ].join("\n\n");
}
