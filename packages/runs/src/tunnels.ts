export { sharedAuthority } from "./tunnels/authority-store.ts";
export { tunnelGrants } from "./tunnels/tunnel-grants.ts";
export { hostsCertificate, openTunnelParts } from "./tunnels/tunnel-parts.ts";
export { TUNNELS } from "./tunnels/tunnel-store.ts";
