import type { SessionAgent } from "@berth/contract";
import { explorer } from "../src/explore/explorer.ts";
import type { Turn } from "../src/loop/turn.ts";
import type { Model } from "../src/models/model.ts";
import { explore } from "../src/tools/explore.ts";
import type { Tool } from "../src/tools/tool.ts";
import { testAgent, testTurn } from "./turn.ts";

type Config = NonNullable<
  Extract<SessionAgent["tools"][number], { type: "agent_toolset_20260401" }>["configs"]
>[number];

/** Creates an agent with Explore, configured with these options. */
export function exploringAgent(options: Partial<Config> = {}): SessionAgent {
  const config: Config = {
    name: "Explore",
    enabled: true,
    permission_policy: { type: "always_allow" },
    ...options,
  };
  return {
    ...testAgent,
    tools: [{ type: "agent_toolset_20260401", enabled_tools: ["Read", "Explore"], configs: [config] }],
  };
}

export interface ExploringTurn extends Partial<Turn> {
  /** Default: the turn's model. Null: the installation has no such model. */
  exploreModel?: Model | null;
  /** The tools that Explore searches with. */
  searches: readonly Tool[];
}

/** Creates a turn of an agent with Explore. */
export function exploringTurn({ exploreModel, searches, tools = [], ...given }: ExploringTurn): Turn {
  const turn = testTurn({ agent: exploringAgent(), tools: [...tools, explore], ...given });
  const model = exploreModel === undefined ? turn.model : exploreModel;
  const { agent, sandbox, environment, sleep } = turn;
  return {
    ...turn,
    explorer: explorer({
      agent,
      tools: searches,
      model: () => model,
      sandbox,
      environment,
      sleep,
      random: () => 0,
    }),
  };
}
