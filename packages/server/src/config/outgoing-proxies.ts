import { OutgoingProxies } from "@berth/egress/outgoing-proxies";
import type { Config } from "./config.ts";

/** Returns the proxies of the settings. */
export function outgoingProxies({ httpsProxy, httpProxy, noProxy }: Config): OutgoingProxies {
  return new OutgoingProxies({ https: httpsProxy, http: httpProxy, direct: noProxy });
}
