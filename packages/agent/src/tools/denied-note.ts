import type { EgressDenied } from "@berth/egress";

const MAX_NAMED_HOSTS = 4;

/**
 * Returns a note for the model about hosts that were denied while its command ran. Programs report these as
 * an unknown name or a reset connection, which looks like an error that a retry can fix. Returns null when
 * nothing was denied.
 */
export function deniedNote(denied: readonly EgressDenied[]): string | null {
  const forbidden = denied.flatMap((one) => describe(one));
  if (forbidden.length === 0) return null;
  const named = forbidden.slice(0, MAX_NAMED_HOSTS);
  const more = forbidden.length - named.length;
  const hosts = more === 0 ? LIST_FORMAT.format(named) : `${named.join(", ")} and ${more} more`;
  return `The environment's networking forbids ${hosts}, asked for while this ran. Trying again does not help.`;
}

const LIST_FORMAT = new Intl.ListFormat("en", { type: "conjunction" });

/** Reasons that need an explanation, unlike a host that is not allowed. */
const REASONS: Readonly<Partial<Record<EgressDenied["reason"], string>>> = {
  private_address: "a private address",
  no_server_name: "the connection names no host",
  name_mismatch: "the connection names another host",
  unknown_protocol: "neither TLS nor HTTP",
};

function describe({ host, port, reason }: EgressDenied): string[] {
  // A name that does not resolve is an error, not a rule of the environment.
  if (reason === "unresolvable") return [];
  const name = host.length > 100 ? `${host.slice(0, 100)}…` : host;
  const at = port === null || port === 80 || port === 443 ? name : `${bracketed(name)}:${port}`;
  const why = REASONS[reason];
  return [why === undefined ? at : `${at} (${why})`];
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
