import type { Requirement } from "./requirement.ts";

/** Rules for connections to the service. */
export const tlsRequirements: readonly Requirement[] = [
  {
    id: "tls",
    source: "seed 8",
    rule: "With BERTH_TLS_CERT and BERTH_TLS_KEY the service listens for https alone, and prints that URL. A changed pair serves new connections without a restart; one that cannot be used is told in the log, and the pair before stays. A wrong file at the start is one sentence that names it.",
  },
  {
    id: "trusted-proxies",
    source: "api 2",
    rule: "The client address in the log is the connection's; behind a proxy that BERTH_TRUSTED_PROXIES names, the last address of X-Forwarded-For that is no such proxy. A client cannot choose it.",
  },
  {
    id: "behind-proxy",
    source: "api 2",
    rule: "Behind nginx and Caddy, set up as the guide says, events arrive while their stream is open, a stream without events stays open, an upload has no other limit than Berth's, and the client's address is known.",
  },
  {
    id: "outgoing-proxies",
    source: "api 2",
    rule: "With BERTH_HTTPS_PROXY or BERTH_HTTP_PROXY, or the variables of other programs, models, MCP servers, git hosts and what sandboxes reach are reached through that proxy, but for BERTH_NO_PROXY. It is asked for the address that was checked. Its password is in no error and no log.",
  },
  {
    id: "public-url",
    source: "api 2",
    rule: "BERTH_PUBLIC_URL is the server of the OpenAPI document and is printed at the start. A service that listens for plain HTTP beyond this machine, with no sign of a proxy in front, warns in its log, and so does doctor.",
  },
];
