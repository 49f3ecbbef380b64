import { listeningPort } from "./parsers.ts";

/**
 * Validates a listening address: `127.0.0.1:9464`, `[::1]:9464`.
 * @throws Error with a clause for the operator.
 */
export function ownAddress(text: string): string {
  const { host, port } = split(text);
  if (host === "") throw new Error("must be an address and a port, such as 127.0.0.1:9464");
  listeningPort(port);
  return text;
}

/** Validates an address to connect to: `egress.berth:4182`. @throws Error with a clause for the operator. */
export function otherAddress(text: string): string {
  const { host, port } = split(text);
  const number = Number(port);
  if (host === "" || number < 1 || number > 65_535)
    throw new Error("must be a host and a port, such as egress.berth:4182");
  return text;
}

/** Splits an address into host and port. @param text Text that `ownAddress` or `otherAddress` accepts. */
export function listenAddress(text: string): { host: string; port: number } {
  const { host, port } = split(text);
  return { host, port: Number(port) };
}

function split(text: string): { host: string; port: string } {
  const [, v6, name, port = ""] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/@]+)):([0-9]+)$/.exec(text) ?? [];
  return { host: v6 ?? name ?? "", port };
}
