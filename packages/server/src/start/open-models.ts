import { createModelRegistry, createRehearsalModel, type ModelRegistry } from "@berth/agent";
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";

/** The models of the installation: from the operator's file, or else detected on this machine. */
export function openModels(config: Config, log: Logger): Promise<ModelRegistry> {
  return createModelRegistry({
    ...(config.modelsFile === null ? {} : { file: config.modelsFile }),
    environment: process.env,
    rehearsal: createRehearsalModel(),
    log: (message) => log.info(message),
  });
}
