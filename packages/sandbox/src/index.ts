export { noteTold, recordProcesses, untoldProcesses } from "./commands/ended-processes.ts";
export { LAYERED_HOME } from "./inside/environment.ts";
export { readFile, writeFile } from "./inside/files.ts";
export { trustedBundle } from "./inside/trusted-bundle.ts";
export * from "./inspect/index.ts";
export type { Capability } from "./interface/capability.ts";
export type { Command, CommandResult } from "./interface/command.ts";
export type { DiskSnapshots, Disks, FoundSnapshot } from "./interface/disks.ts";
export {
  DiskLimitError,
  ImageError,
  NoRoomError,
  RuntimeClassError,
  SandboxError,
  WaitOverError,
} from "./interface/errors.ts";
export type { LeasedSandbox, Sandbox, SandboxEngine } from "./interface/sandbox.ts";
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
  SystemLayers,
} from "./interface/spec.ts";
export type { SandboxShape, ShapedSpec, WarmSandbox, WarmSandboxes } from "./interface/warm.ts";
export * from "./saves/index.ts";
export { builtRootFilesystem, describeRootFilesystem } from "./system/describe-root-filesystem.ts";
export { LayerCache } from "./system/layer-cache.ts";
export {
  DEFAULT_LAYER_LIMITS,
  LimitWatch,
  lacksSpace,
  limitsDisks,
  sizeOf,
} from "./system/layer-limits.ts";
export type { LayerPlan } from "./system/layer-plan.ts";
export { PACKAGE_HOSTS } from "./system/package-hosts.ts";
export { type PackageSources, type Packages, packagePlans } from "./system/package-plans.ts";
export { RootFilesystem } from "./system/root-filesystem.ts";
export * from "./workspace/index.ts";
