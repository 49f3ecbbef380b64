export {
  buildSnapshot,
  MIRROR_MOUNT_PATH,
  SNAPSHOT_PATH,
} from "./build-snapshot.ts";
export { type CloneOptions, cloneRepository } from "./clone-repository.ts";
export { discardClone, endDiskSnapshot, prepareDiskSnapshot, takeOverClone } from "./disk-snapshot.ts";
export { excludePath, includePath } from "./exclude-path.ts";
export { MIRROR_PATH, type MirrorResult, mirrorRepository } from "./mirror-repository.ts";
export {
  GATHERED_CACHES,
  gatherCaches,
  PACKAGE_CACHES,
  seesRefsOf,
} from "./package-caches.ts";
export { refreshClone } from "./refresh-clone.ts";
export { createListRefs } from "./refs/list-refs.ts";
export { digestRefs, type RemoteRefs } from "./refs/remote-refs.ts";
export type {
  CloneProgress,
  MissingLfs,
  RepositoryAccess,
  RepositoryProvider,
} from "./repository/repository.ts";
export {
  credentialsVersion,
  isForGh,
  repositoryEnvironment,
  repositoryVariableNames,
  WORKSPACE_PROGRAMS,
} from "./repository/repository-environment.ts";
export { type ResolvedCheckout, resolveCheckout } from "./resolve-checkout.ts";
export { emptyClone, type SetupFailure, setUpClone } from "./set-up-clone.ts";
