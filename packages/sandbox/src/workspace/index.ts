export { type CloneOptions, cloneRepository } from "./clone-repository.ts";
export { credentialConfig } from "./credential-helper.ts";
export type {
  CloneErrorType,
  CloneProgress,
  CloneResult,
  RepositoryAccess,
  RepositoryMount,
  RepositoryProvider,
} from "./repository.ts";
export { repositoryEnvironment } from "./repository-environment.ts";
export { workspacePrograms } from "./workspace-programs.ts";
