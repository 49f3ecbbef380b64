import { setGlobalProxyFromEnv } from "node:http";
import { createModelRegistry, createRehearsalModel, type ModelRegistry } from "@berth/agent/models";
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import { outgoingProxies } from "../config/outgoing-proxies.ts";

/**
 * Returns the models of the installation, from the operator's file or detected on this machine. Requests to
 * models use the process's own `fetch`, which is set to use the operator's proxies from then on.
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
