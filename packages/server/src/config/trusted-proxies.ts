import { proxyList } from "@berth/api/proxy-list";
import { list } from "./parsers.ts";

/** Parses networks such as `10.0.0.0/8`, and addresses. @throws Error with a clause for the operator. */
export function proxies(text: string): string[] {
  const networks = list(text);
  proxyList(networks);
  return networks;
}
