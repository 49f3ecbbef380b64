import { type HostName, parseHostPort } from "../names/host-name.ts";
import { parseUrlHost } from "../names/url-host.ts";
import { EgressError } from "./egress-error.ts";

/**
 * Hosts that can be reached. `limited` with no hosts reaches nothing. A host is a name, or a name with a port
 * (`git.example.com:8443`); `*.example.com` matches every name below it, not itself. A name without a port
 * means ports 80 and 443. `unrestricted` still blocks private, loopback, link-local and metadata addresses.
 */
export type EgressPolicy =
  | { mode: "limited"; hosts: readonly string[] }
  | { mode: "unrestricted"; hosts: readonly string[] };

/** A validated `EgressPolicy`. DNS, TLS and plain HTTP all use this matcher. */
export interface Policy {
  /** Returns whether a name may be resolved, which is so if any of its ports is allowed. */
  allowsName(name: HostName): boolean;
  allows(name: HostName, port: number): boolean;
  /** Ports named by rules, other than 80 and 443. */
  ports: readonly number[];
}

interface Rule {
  /** Whether the rule matches every name below `name` instead of `name` itself. */
  below: boolean;
  name: HostName;
  /** Port; null means 80 and 443. */
  port: number | null;
}

export const STANDARD_PORTS: readonly number[] = [80, 443];

/**
 * Parses and validates a policy.
 * @throws EgressError for a host that is not a name, so that a typo neither allows a host nor goes unnoticed.
 */
export function parsePolicy(policy: EgressPolicy): Policy {
  const rules = policy.hosts.map(parseRule);
  const any = policy.mode === "unrestricted";
  return {
    allowsName: (name) => any || rules.some((rule) => matchesName(rule, name)),
    allows: (name, port) =>
      (any && STANDARD_PORTS.includes(port)) ||
      rules.some((rule) => matchesName(rule, name) && matchesPort(rule, port)),
    ports: [...new Set(rules.flatMap(({ port }) => port ?? []))].filter(
      (port) => !STANDARD_PORTS.includes(port),
    ),
  };
}

/** Returns whether a policy allows the host and port of a URL. No policy allows a literal IP address. */
export function allowsUrl(policy: EgressPolicy, url: string | URL): boolean {
  const host = parseUrlHost(new URL(url));
  return host !== null && host.name !== null && parsePolicy(policy).allows(host.name, host.port);
}

function parseRule(host: string): Rule {
  const below = host.startsWith("*.");
  const parsed = parseHostPort(below ? host.slice(2) : host);
  if (parsed === null) throw new EgressError(`Egress host ${JSON.stringify(host)} is not a host name.`);
  return { below, ...parsed };
}

function matchesName(rule: Rule, name: HostName): boolean {
  return rule.below ? name.endsWith(`.${rule.name}`) : name === rule.name;
}

function matchesPort(rule: Rule, port: number): boolean {
  return rule.port === null ? STANDARD_PORTS.includes(port) : rule.port === port;
}
