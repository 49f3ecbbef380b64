import type { EgressDenied } from "@berth/egress";

const MAX_NAMED_HOSTS = 4;

/**
 * What a model is told of the hosts that were refused while its command ran: programs tell it as a name that does not exist, or a
 * connection that was reset, which reads like a fault that another try may mend. Null where nothing was forbidden.
 */
export function deniedNote(denied: readonly EgressDenied[]): string | null {
  const forbidden = denied.flatMap((one) => describe(one));
  if (forbidden.length === 0) return null;
  const named = forbidden.slice(0, MAX_NAMED_HOSTS);
  const more = forbidden.length - named.length;
  const hosts = more === 0 ? allOf.format(named) : `${named.join(", ")} and ${more} more`;
  return `The environment's networking forbids ${hosts}, asked for while this ran. Trying again does not help.`;
}

const allOf = new Intl.ListFormat("en", { type: "conjunction" });

/** What needs more words than that its host is not allowed. An allowed host without an address is a fault, not a rule. */
const REASONS: Readonly<Partial<Record<EgressDenied["reason"], string>>> = {
  private_address: "a private address",
  no_server_name: "the connection names no host",
  name_mismatch: "the connection names another host",
  unknown_protocol: "neither TLS nor HTTP",
};

function describe({ host, port, reason }: EgressDenied): string[] {
  if (reason === "unresolvable") return [];
  const name = host.length > 100 ? `${host.slice(0, 100)}…` : host;
  const at = port === null || port === 80 || port === 443 ? name : `${bracketed(name)}:${port}`;
  const why = REASONS[reason];
  return [why === undefined ? at : `${at} (${why})`];
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
