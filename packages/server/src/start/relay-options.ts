import type { EgressOptions } from "@berth/egress";
import { trustedBundle } from "@berth/sandbox";
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import { outgoingProxies } from "../config/outgoing-proxies.ts";

type Authority = NonNullable<EgressOptions["mitm"]>["authority"];

/** Returns the options for forwarding connections of sandboxes, wherever the sandboxes run. */
export async function relayOptions(
  config: Config,
  { authority, caCertificates }: { authority: Authority; caCertificates: readonly string[] },
  log: Logger,
) {
  return {
    allowPrivate: config.egressAllowPrivate,
    refused: config.previewUrl === null ? [] : [new URL(config.previewUrl).hostname],
    proxies: outgoingProxies(config),
    mitm: { authority, trusted: [await trustedBundle(caCertificates)], errorPrefix: "Berth: " },
    deniedMessage: (destination: string) => `The networking of this session does not allow ${destination}.`,
    log: (line: string) => log.info({ outside: line }),
  };
}
