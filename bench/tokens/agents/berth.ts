import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { AnyJson, Api } from "../../../tests/acceptance/harness/api.ts";
import { Berth } from "../../../tests/acceptance/harness/berth.ts";
import { makeAgent, makeEnvironment, waitForTurn } from "../../../tests/acceptance/harness/fixtures.ts";
import { NO_LIMITS } from "../../../tests/acceptance/harness/no-limits.ts";
import { providerSettings } from "../../../tests/acceptance/harness/provider-settings.ts";
import { startGitHost } from "../../../tests/git-host/git-host.ts";
import { gapPartsIn } from "../gap-parts.ts";
import { ANTHROPIC } from "../wires/anthropic.ts";
import type { Contender, Opened, Place, Session } from "./contender.ts";

const OUTPUT_TOKENS = 32_000;
/** A command prefix that removes settings an earlier build may not know. No session here reaches a limit. */
const WITHOUT_LIMITS = ["env", ...Object.keys(NO_LIMITS).flatMap((name) => ["-u", name])];
/**
 * The seconds that replace the provider's cache lifetime of five minutes. The service then soon does what it
 * does before the end; then the clock is advanced.
 */
const CACHE_SECONDS = 20;
/** The part of five minutes after which an idle session is summarised. */
const SUMMARY_AFTER_MS = 240_000;

/** Limits for Explore, whose questions here may have more steps than usual. */
const EXPLORE = { name: "Explore", max_requests: 100, max_tokens: 2_000_000 };

export interface BerthOptions {
  /** The `bin/berth` of another build, which does nothing in pauses; this build's by default. */
  binary?: string;
  /** Fields of the agent's `model` besides its id. */
  model?: { compact_at?: number; compact_when_idle?: boolean };
  /** Whether the agent has Explore. */
  explores?: boolean;
}

export function berth(name: string, options: BerthOptions = {}): Contender {
  return {
    ...{ name, packages: [], wire: ANTHROPIC, summary: /Write the summary/ },
    open: (place) => open(place, options),
  };
}

async function open(place: Place, { binary, model = {}, explores = false }: BerthOptions): Promise<Opened> {
  const { folder, files } = place;
  const host = await startGitHost({ dir: join(folder, "host") });
  await host.createRepository({
    org: "bench",
    name: "shop",
    private: false,
    files: Object.fromEntries(files),
  });
  const own = binary === undefined;
  const settings = { ...providerSettings(host), BERTH_MODELS_FILE: await modelsFile(place, own) };
  const service = await Berth.start({ settings, ...(own ? {} : { binary, wrapper: WITHOUT_LIMITS }) });
  const api = await service.client();
  const [agent, environment] = await Promise.all([
    makeAgent(api, {
      model: { id: "scripted/m", ...model },
      ...(explores && { tools: [{ type: "agent_toolset_20260401", configs: [EXPLORE] }] }),
    }),
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
      return { ...sessionOf(api, id), ...(own ? { atRest: restOf(api, id) } : {}) };
    },
    async gapParts() {
      return gapPartsIn(await (await fetch(`${service.url}/metrics`)).text());
    },
    async close() {
      await service.stop();
      await host.stop();
    },
  };
}

async function modelsFile({ folder, model, window }: Place, own: boolean): Promise<string> {
  const file = join(folder, "models.json");
  const lifetime = own ? { cache_seconds: CACHE_SECONDS } : {};
  const providers = { scripted: { kind: "anthropic", base_url: `${model}/v1`, ...lifetime } };
  const sizes = { context_window: window, max_output_tokens: OUTPUT_TOKENS };
  await writeFile(file, JSON.stringify({ providers, models: [{ id: "scripted/m", ...sizes }] }));
  return file;
}

function sessionOf(api: Api, id: string): Session {
  return {
    async send(text) {
      const event = { type: "user.message", content: [{ type: "text", text }] };
      const sent = await api.ok("POST", `/sessions/${id}/events`, { events: [event] });
      await waitForTurn(api, id, sent.data[0].id);
    },
    close: async () => {},
  };
}

/** Waits until the summary is made, or the time is over in which the service makes one. */
function restOf(api: Api, id: string): NonNullable<Session["atRest"]> {
  const newest = async (): Promise<AnyJson[]> => {
    const { data } = await api.ok("GET", `/sessions/${id}/events?order=desc&limit=20`);
    return data.slice(
      0,
      data.findIndex(({ type }: AnyJson) => type === "session.status_idle"),
    );
  };
  return {
    afterMs: SUMMARY_AFTER_MS,
    async done() {
      const over = performance.now() + CACHE_SECONDS * 1_000;
      for (;;) {
        const isOver = performance.now() > over;
        const types = (await newest()).map(({ type }) => type);
        if (types.includes("agent.context_compacted")) return;
        const isOpen = types[0] === "span.model_request_start";
        if (isOver && !isOpen) return;
        await pause(250);
      }
    },
  };
}
