export type { Resolve } from "./addresses/resolve.ts";
export type { NetworkNamespace } from "./capture/network-namespace.ts";
export { createEgress, type Egress, type EgressOptions } from "./egress.ts";
export {
  allowedFetch,
  createGuardedFetch,
  DestinationDenied,
  type GuardedFetch,
  type GuardedFetchOptions,
} from "./fetch/guarded-fetch.ts";
export { openCertificateAuthority } from "./mitm/certificate-authority.ts";
export type { CredentialSource, CredentialTarget, ProxiedCredential } from "./mitm/proxied-credential.ts";
export { withTokenPrefix } from "./mitm/token-prefix.ts";
export { OutgoingProxies } from "./outgoing/outgoing-proxies.ts";
export type { EgressDenied } from "./policy/denial-log.ts";
export { EgressError } from "./policy/egress-error.ts";
export { allowsUrl, type EgressPolicy } from "./policy/policy.ts";
