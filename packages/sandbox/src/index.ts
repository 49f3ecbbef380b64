export { type BubblewrapOptions, createBubblewrapEngine } from "./bubblewrap/bubblewrap-engine.ts";
export { createDockerEngine, type DockerOptions } from "./docker/docker-engine.ts";
export { makeAddressGuard } from "./egress/address-guard.ts";
export { allowedFetch } from "./egress/allowed-fetch.ts";
export { createEgress, type EgressOptions } from "./egress/create-egress.ts";
export { openAuthority } from "./egress/credentials/authority.ts";
export { inShapeOf } from "./egress/credentials/token-shape.ts";
export {
  AddressRefused,
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchOptions,
  isListedHost,
} from "./egress/guarded-fetch.ts";
export { allPackageHosts, type PackageManager, packageHosts } from "./egress/package-hosts.ts";
export { allowsUrl } from "./egress/policy.ts";
export * from "./files.ts";
export { removeTree } from "./host/remove-tree.ts";
export { LAYERED_HOME } from "./inside/paths.ts";
export { trustedBundle } from "./inside/trusted-bundle.ts";
export { isolationCapabilities } from "./probes/isolation-capabilities.ts";
export { type ProbedPlace, probeEngine } from "./probes/probe-engine.ts";
export * from "./sandbox.ts";
export { describeTree, madeTree } from "./system/describe-tree.ts";
export type { LayerPlan } from "./system/layer-plan.ts";
export { type LayerRoom, openLayerRoom } from "./system/layer-room.ts";
export { type Packages, packagePlans } from "./system/package-plans.ts";
export type { PackageSources } from "./system/package-sources.ts";
export { openSystemTree, type SystemTree, type TreeState } from "./system/system-tree.ts";
export * from "./workspace/index.ts";
