export { makeAddressGuard } from "./addresses/address-guard.ts";
export { allowedFetch } from "./fetch/allowed-fetch.ts";
export { createEgress, type EgressOptions } from "./create-egress.ts";
export { openAuthority } from "./mitm/certificate-authority.ts";
export { inShapeOf } from "./mitm/token-prefix.ts";
export type { Resolve } from "./relay/dial.ts";
export type { Egress, NetworkNamespace } from "./egress.ts";
export {
  AddressRefused,
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchOptions,
  isListedHost,
} from "./fetch/guarded-fetch.ts";
export { allPackageHosts, type PackageManager, packageHosts } from "./package-hosts.ts";
export { allowsUrl } from "./policy/policy.ts";
export * from "./policy/types.ts";
