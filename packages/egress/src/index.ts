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
export { openCertificateAuthority, placeAuthority } from "./mitm/certificate-authority.ts";
export { HOP_BY_HOP } from "./mitm/end-to-end-headers.ts";
export type { KeyPair } from "./mitm/openssl.ts";
export type { CredentialSource, CredentialTarget, ProxiedCredential } from "./mitm/proxied-credential.ts";
export { withTokenPrefix } from "./mitm/token-prefix.ts";
export { OutgoingProxies } from "./outgoing/outgoing-proxies.ts";
export { DenialLog, type EgressDenied } from "./policy/denial-log.ts";
export { EgressError } from "./policy/egress-error.ts";
export { allowsUrl, type EgressPolicy } from "./policy/policy.ts";
export type { SandboxService, ServiceAnswer } from "./relay/sandbox-service.ts";
export {
  GATEWAY_NAME,
  makeHostsAuthority,
  makeTunnelAuthority,
  type SidecarSettings,
  signGateway,
  signSidecar,
} from "./tunnel/certificates.ts";
export { encodeFrame, type Frame, FrameDecoder } from "./tunnel/frames.ts";
export { type EgressGateway, openGateway, type TunnelTicket } from "./tunnel/gateway.ts";
export { CAPTURE_ROUTES, SIDECAR } from "./tunnel/programs.ts";
export type { TunnelGrant } from "./tunnel/tunnel.ts";
