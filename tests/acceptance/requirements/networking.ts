import type { Requirement } from "./requirement.ts";

export const networkingRequirements: readonly Requirement[] = [
  {
    id: "egress-hosts",
    source: "api 4",
    rule: "Under limited networking commands reach the hosts that allowed_hosts names, at 80 and 443 or at the port that a host carries, by themselves or through the proxy at port 3128, and no host that only looks like one.",
  },
  {
    id: "egress-denied",
    source: "api 4",
    rule: "What is refused is a session.egress_denied with host, port and reason: names that are not allowed, addresses in any notation, another server name, Host or CONNECT target than the host that was connected to, and anything but TLS and HTTP.",
  },
  {
    id: "egress-ports",
    source: "api 4",
    rule: "A connection to a port that no rule names, and a datagram that asks no name, is refused as at a closed port, and told as a session.egress_denied with host, port and reason: not_allowed, or unknown_protocol for a datagram to a host and port that are allowed. What commands ask of each other at loopback addresses is not.",
  },
  {
    id: "egress-named-to-agent",
    source: "api 4",
    rule: "The result of a command during which hosts were refused names up to four of them and says that the environment's networking forbids them, also when the same host is tried again at once; that of another command does not.",
  },
  {
    id: "egress-private",
    source: "api 4",
    rule: "A host that an environment allows and whose addresses are private is refused unless the operator lists it.",
  },
  {
    id: "package-managers",
    source: "api 4",
    rule: "allow_package_managers, false by default, lets commands reach the public registries of package managers, which are refused and told of without it.",
  },
];
