/** A separate entry point: the API process lists models, and does not use the loop. */
export { ModelsFileError } from "./models/registry/models-file.ts";
export {
  createModelRegistry,
  type ModelInfo,
  type ModelRegistry,
  type ModelRegistryOptions,
} from "./models/registry/registry.ts";
export { createRehearsalModel, type RehearsalOptions } from "./models/rehearsal/rehearsal-model.ts";
