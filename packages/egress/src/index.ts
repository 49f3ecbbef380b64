export { makeAddressGuard } from "./address-guard.ts";
export { allowedFetch } from "./allowed-fetch.ts";
export { createEgress, type EgressOptions } from "./create-egress.ts";
export { openAuthority } from "./credentials/authority.ts";
export { inShapeOf } from "./credentials/token-shape.ts";
export type { Resolve } from "./dial.ts";
export type { Egress, NetworkNamespace } from "./egress.ts";
export {
  AddressRefused,
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchOptions,
  isListedHost,
} from "./guarded-fetch.ts";
export { allPackageHosts, type PackageManager, packageHosts } from "./package-hosts.ts";
export { allowsUrl } from "./policy.ts";
export * from "./types.ts";
