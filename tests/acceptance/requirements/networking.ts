import type { Requirement } from "./requirement.ts";

export const networkingRequirements: readonly Requirement[] = [
  {
    id: "egress-hosts",
    source: "api 4",
    rule: "Under limited networking, commands reach the hosts in allowed_hosts, at ports 80 and 443 or at the port given with a host, directly or through the proxy at port 3128, and no host with a merely similar name.",
  },
  {
    id: "egress-denied",
    source: "api 4",
    rule: "A denied connection is reported by a session.egress_denied with host, port and reason: names that are not allowed, addresses in any notation, a server name, Host or CONNECT target that differs from the connected host, and protocols other than TLS and HTTP.",
  },
  {
    id: "egress-ports",
    source: "api 4",
    rule: "A connection to a port without a rule, and a datagram other than a DNS query, fails as at a closed port and is reported by a session.egress_denied with host, port and reason: not_allowed, or unknown_protocol for a datagram to an allowed host and port. Loopback traffic between commands is not reported.",
  },
  {
    id: "egress-named-to-agent",
    source: "api 4",
    rule: "The result of a command with denied hosts names up to four of them and says that the environment's networking does not allow them, also when the same host is tried again immediately; results of other commands do not.",
  },
  {
    id: "egress-private",
    source: "api 4",
    rule: "An allowed host with private addresses is denied unless the operator lists it.",
  },
  {
    id: "package-managers",
    source: "api 4",
    rule: "allow_package_managers, false by default, lets commands reach the public registries of package managers, which are otherwise denied and reported.",
  },
];
