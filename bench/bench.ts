import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { Berth } from "../tests/acceptance/harness/berth.ts";
import { NO_LIMITS } from "../tests/acceptance/harness/no-limits.ts";
import { abuseFigures } from "./cases/abuse.ts";
import { agentTaskCosts } from "./cases/agent-tasks.ts";
import { consoleFigures } from "./cases/console.ts";
import { deploymentFigures } from "./cases/deployments.ts";
import { eventFigures } from "./cases/events.ts";
import { firstCommandFigures } from "./cases/first-command.ts";
import { growthFigures } from "./cases/growth.ts";
import { httpFigures } from "./cases/http.ts";
import { idleFigures } from "./cases/idle.ts";
import { kubernetesFigures } from "./cases/kubernetes.ts";
import { largeRepositoryFigures } from "./cases/large-repositories.ts";
import { listFigures } from "./cases/lists.ts";
import { machineFigures } from "./cases/machines.ts";
import { maskingFigures } from "./cases/masking.ts";
import { race } from "./cases/race.ts";
import { readerFigures } from "./cases/readers.ts";
import { repositoryFigures } from "./cases/repository.ts";
import { runtimeFigures } from "./cases/runtimes.ts";
import { sandboxFigures } from "./cases/sandbox.ts";
import { outputFigures } from "./cases/sandbox-outputs.ts";
import { programFigures } from "./cases/sandbox-programs.ts";
import { snapshotFigures } from "./cases/sandbox-snapshots.ts";
import { saveFigures } from "./cases/saves.ts";
import { memoryFigures, startFigures } from "./cases/start.ts";
import { tokenCosts } from "./cases/tokens.ts";
import { triggerFigures } from "./cases/triggers.ts";
import { volumeSnapshotFigures } from "./cases/volume-snapshots.ts";
import { webhookFigures } from "./cases/webhooks.ts";
import { type Figure, table } from "./figure.ts";

/**
 * The cases. `npm run bench [-- --only NAME]` runs every case and prints one table of ratios. The race and
 * `tokens` have their own tables, and install their peers from the npm registry.
 */
const CASES: Record<string, () => Promise<Figure[] | string>> = {
  start: startFigures,
  events: () => onService((_, api) => eventFigures(api)),
  growth: () => onService(growthFigures),
  readers: () => onService(readerFigures),
  http: () => onService(httpFigures),
  lists: () => onService(listFigures),
  processes: machineFigures,
  sandbox: sandboxFigures,
  programs: programFigures,
  snapshots: snapshotFigures,
  repository: repositoryFigures,
  "first-command": firstCommandFigures,
  runtimes: runtimeFigures,
  large: largeRepositoryFigures,
  saves: saveFigures,
  outputs: outputFigures,
  masking: maskingFigures,
  memory: () => onService(memoryFigures),
  idle: () => onService(idleFigures, { BERTH_SANDBOX_IDLE_SECONDS: "10" }),
  console: () => onService(consoleFigures),
  "agent-tasks": agentTaskCosts,
  abuse: () => onService((_, api) => abuseFigures(api)),
  kubernetes: kubernetesFigures,
  "volume-snapshots": volumeSnapshotFigures,
  deployments: deploymentFigures,
  triggers: () => onService(triggerFigures, { BERTH_ADDRESS_LIMITS: "none" }),
  webhooks: () => onService(webhookFigures, { BERTH_EGRESS_ALLOW_PRIVATE: "127.0.0.1" }),
  race,
  tokens: tokenCosts,
};

// A single owner loads each service. Services that cases start inherit these variables.
Object.assign(process.env, NO_LIMITS);

const { values } = parseArgs({ options: { only: { type: "string" } } });
if (values.only !== undefined && !Object.hasOwn(CASES, values.only)) {
  console.error(`There is no case ${values.only}. The cases: ${Object.keys(CASES).join(", ")}.`);
  process.exit(1);
}
const figures: Figure[] = [];
const tables: string[] = [];
for (const [name, measure] of Object.entries(CASES)) {
  if (values.only !== undefined && values.only !== name) continue;
  process.stderr.write(`${name} …\n`);
  const measured = await measure();
  if (typeof measured === "string") tables.push(measured);
  else figures.push(...measured);
}
if (figures.length > 0) tables.unshift(table(figures));
const head = `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} cores`;
console.log([head, ...tables].join("\n\n"));

async function onService(
  measure: (berth: Berth, api: Awaited<ReturnType<Berth["client"]>>) => Promise<Figure[]>,
  settings: Record<string, string> = {},
): Promise<Figure[]> {
  const berth = await Berth.start({ settings });
  try {
    return await measure(berth, await berth.client());
  } finally {
    await berth.stop();
  }
}
