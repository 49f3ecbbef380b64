import { setGlobalProxyFromEnv } from "node:http";
import { createModelRegistry, createRehearsalModel, type ModelRegistry } from "@berth/agent/models";
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import { outgoingProxies } from "../config/outgoing-proxies.ts";

/**
 * The models of the installation: from the operator's file, or else detected on this machine. They are reached by the process's
 * own `fetch`, which from now on goes through the operator's proxies.
 */
export function openModels(config: Config, log: Logger): Promise<ModelRegistry> {
  const proxies = outgoingProxies(config);
  const variables = proxies.variables();
  if (Object.keys(variables).length > 0) setGlobalProxyFromEnv(variables);
  return createModelRegistry({
    ...(config.modelsFile === null ? {} : { file: config.modelsFile }),
    environment: process.env,
    proxyOf: (url) => proxies.ofUrl(url)?.host ?? null,
    rehearsal: createRehearsalModel(),
    log: (message) => log.info(message),
  });
}
