export { noteTold, recordProcesses, untoldProcesses } from "./commands/ended-processes.ts";
export { mayDumpCore } from "./host/core-dumps.ts";
export { MOST_OPEN_FILES } from "./host/open-files.ts";
export { perfIsBounded } from "./host/perf-events.ts";
export { trustedBundle } from "./inside/authorities.ts";
export { LAYERED_HOME } from "./inside/environment.ts";
export { readFile, writeFile } from "./inside/files.ts";
export { DEFAULT_IDENTITY, SIGNING_HOST } from "./inside/git-config.ts";
export * from "./inspect/index.ts";
export type { Capability } from "./interface/capability.ts";
export type { Command, CommandResult } from "./interface/command.ts";
export type { DiskSnapshots, Disks, FoundSnapshot } from "./interface/disks.ts";
export {
  DiskLimitError,
  ImageError,
  NoRoomError,
  RootFilesystemError,
  RuntimeClassError,
  SandboxError,
  WaitOverError,
} from "./interface/errors.ts";
export type { PortConnection } from "./interface/port-connection.ts";
export type { Grace, LeasedSandbox, Sandbox, SandboxEngine } from "./interface/sandbox.ts";
export type {
  EgressTunnel,
  GitPerson,
  GitSettings,
  Limits,
  MountedDirectory,
  MountedFile,
  MountedSnapshot,
  SandboxSpec,
  SandboxWait,
  SnapshotLayers,
  SystemLayers,
} from "./interface/spec.ts";
export type { SandboxShape, ShapedSpec, WarmSandbox, WarmSandboxes } from "./interface/warm.ts";
export type { MissingRuntime } from "./runtimes/program-links.ts";
export type { RuntimeRelease } from "./runtimes/runtime-release.ts";
export { type LaterRuntimes, type PreparedRuntimes, RuntimeStore } from "./runtimes/runtime-store.ts";
export * from "./saves/index.ts";
export { quote } from "./scripts/quote.ts";
export type { LayerFailure } from "./system/build-layer.ts";
export { buildRootFilesystem } from "./system/build-root-filesystem.ts";
export { builtRootFilesystem, describeRootFilesystem } from "./system/describe-root-filesystem.ts";
export { LayerCache } from "./system/layer-cache.ts";
export {
  DEFAULT_LAYER_LIMITS,
  LimitWatch,
  lacksSpace,
  limitsDisks,
  sizeOf,
} from "./system/layer-limits.ts";
export type { LayerPlan, LayerRuntimes } from "./system/layer-plan.ts";
export { missingForBuilding, missingForMounting } from "./system/missing-for-root-filesystem.ts";
export { exportRootFilesystem, importRootFilesystem } from "./system/pack-root-filesystem.ts";
export { PACKAGE_HOSTS } from "./system/package-hosts.ts";
export { type PackageSources, type Packages, packagePlans } from "./system/package-plans.ts";
export { readPackages } from "./system/read-packages.ts";
export { DEBIAN_RECIPE, recipeKey } from "./system/recipe.ts";
export { RootFilesystem } from "./system/root-filesystem.ts";
export * from "./workspace/index.ts";
