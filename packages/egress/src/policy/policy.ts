import { type HostName, parseHostPort } from "../names/host-name.ts";
import { EgressError, type EgressPolicy } from "./types.ts";
import { parseUrlHost } from "../names/url-host.ts";

/** An `EgressPolicy` whose hosts have been read and found valid. The one matcher for DNS, TLS and plain HTTP. */
export interface Policy {
  /** Whether a name may be resolved at all: it is reachable at some port. */
  allowsName(name: HostName): boolean;
  allows(name: HostName, port: number): boolean;
  /** Ports that rules name besides 80 and 443. */
  ports: readonly number[];
}

interface Rule {
  /** Every name below it, not itself. */
  below: boolean;
  name: HostName;
  /** Null: 80 and 443. */
  port: number | null;
}

export const standardPorts: readonly number[] = [80, 443];

/** Throws `EgressError` for a host that is not a name, so that a mistake never reads as "allow" nor as silence. */
export function parsePolicy(policy: EgressPolicy): Policy {
  const rules = policy.hosts.map(parseRule);
  const any = policy.mode === "unrestricted";
  return {
    allowsName: (name) => any || rules.some((rule) => matchesName(rule, name)),
    allows: (name, port) =>
      (any && standardPorts.includes(port)) ||
      rules.some((rule) => matchesName(rule, name) && matchesPort(rule, port)),
    ports: [...new Set(rules.flatMap(({ port }) => port ?? []))].filter(
      (port) => !standardPorts.includes(port),
    ),
  };
}

/** Whether a policy names the host and port of an address. A literal IP address is named by none. */
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
  return rule.port === null ? standardPorts.includes(port) : rule.port === port;
}
