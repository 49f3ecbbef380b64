/** A door of its own: the process of the API lists models, and has no use for the loop. */
export { ModelsFileError } from "./models/registry/models-file.ts";
export {
  createModelRegistry,
  type ModelInfo,
  type ModelRegistry,
  type ModelRegistryOptions,
} from "./models/registry/registry.ts";
export { createRehearsalModel, type RehearsalOptions } from "./models/rehearsal/rehearsal-model.ts";
