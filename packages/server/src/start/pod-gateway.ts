import { lookup } from "node:dns/promises";
import type { KubernetesOptions } from "@berth/sandbox/kubernetes";
import type { Config } from "../config/config.ts";
import { listenAddress } from "../config/listen-address.ts";

type Settings = Pick<Config, "sandbox" | "egressGateway" | "kubernetesEgress" | "kubernetesEgressImage">;

/** Path of Node in the image of Berth. */
const NODE = "/usr/lib/berth/node";

/** Returns whether the sandboxes use an egress gateway. */
export function hasPodGateway({
  sandbox,
  egressGateway,
}: Pick<Settings, "sandbox" | "egressGateway">): boolean {
  return sandbox === "kubernetes" && egressGateway !== null;
}

/**
 * Returns the options for the egress of pods. Resolves the gateway's name here, since pods have no resolver.
 */
export async function podGateway(config: Settings): Promise<Pick<KubernetesOptions, "gateway">> {
  if (!hasPodGateway(config)) return {};
  const { host, port } = listenAddress(config.egressGateway ?? "");
  const { address } = await lookup(host, { family: 4 });
  const { kubernetesEgress: capture, kubernetesEgressImage: image } = config;
  return { gateway: { capture, image, gateway: { host: address, port }, node: NODE } };
}
