import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Berth } from "../../../tests/acceptance/harness/berth.ts";
import { makeAgent, makeEnvironment, waitForTurn } from "../../../tests/acceptance/harness/fixtures.ts";
import { NO_LIMITS } from "../../../tests/acceptance/harness/no-limits.ts";
import { providerSettings } from "../../../tests/acceptance/harness/provider-settings.ts";
import { startGitHost } from "../../../tests/git-host/git-host.ts";
import { ANTHROPIC } from "../wires/anthropic.ts";
import type { Contender, Opened, Place } from "./contender.ts";

const OUTPUT_TOKENS = 32_000;
/** An earlier build may not know these settings, and no session here comes near a limit. */
const WITHOUT_LIMITS = ["env", ...Object.keys(NO_LIMITS).flatMap((name) => ["-u", name])];

/** @param binary the `bin/berth` of another build; default: this one's. */
export function berth(name: string, binary?: string): Contender {
  return {
    ...{ name, packages: [], wire: ANTHROPIC, summary: /Write the summary/ },
    open: (place) => open(place, binary),
  };
}

async function open({ folder, model, window, files }: Place, binary?: string): Promise<Opened> {
  const host = await startGitHost({ dir: join(folder, "host") });
  await host.createRepository({
    org: "bench",
    name: "shop",
    private: false,
    files: Object.fromEntries(files),
  });
  const modelsFile = join(folder, "models.json");
  const providers = { scripted: { kind: "anthropic", base_url: `${model}/v1` } };
  const sizes = { context_window: window, max_output_tokens: OUTPUT_TOKENS };
  await writeFile(modelsFile, JSON.stringify({ providers, models: [{ id: "scripted/m", ...sizes }] }));
  const settings = { ...providerSettings(host), BERTH_MODELS_FILE: modelsFile };
  const service = await Berth.start({
    settings,
    ...(binary !== undefined && { binary, wrapper: WITHOUT_LIMITS }),
  });
  const api = await service.client();
  const [agent, environment] = await Promise.all([
    makeAgent(api, { model: "scripted/m" }),
    makeEnvironment(api),
  ]);
  return {
    root: "/data/shop",
    async session() {
      const { id } = await api.ok("POST", "/sessions", {
        agent: agent.id,
        environment_id: environment.id,
        resources: [{ type: "hosted_repository", url: `${host.url}/bench/shop` }],
      });
      return {
        async send(text) {
          const event = { type: "user.message", content: [{ type: "text", text }] };
          const sent = await api.ok("POST", `/sessions/${id}/events`, { events: [event] });
          await waitForTurn(api, id, sent.data[0].id);
        },
        close: async () => {},
      };
    },
    async close() {
      await service.stop();
      await host.stop();
    },
  };
}
