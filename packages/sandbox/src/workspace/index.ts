export {
  buildSnapshot,
  MIRROR_MOUNTED,
  SNAPSHOT_INSIDE,
} from "./build-snapshot.ts";
export { type CloneOptions, cloneRepository } from "./clone-repository.ts";
export { MIRROR_INSIDE, type Mirrored, mirrorRepository } from "./mirror-repository.ts";
export { refreshClone } from "./refresh-clone.ts";
export { listRefs } from "./refs/list-refs.ts";
export { digestOf, type RemoteRefs } from "./refs/remote-refs.ts";
export type {
  CloneProgress,
  RepositoryAccess,
  RepositoryProvider,
} from "./repository/repository.ts";
export { repositoryEnvironment, repositoryVariableNames } from "./repository/repository-environment.ts";
export { type Wanted, wantedOf } from "./settle-clone.ts";
export { WORKSPACE_PROGRAMS } from "./workspace-programs.ts";
