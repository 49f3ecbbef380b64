import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Place } from "./service-network.ts";

const PODS = "10.88.0.0/16";
const CHAIN = "SANDBOXES";

/**
 * Lets pods connect only to one place, like a network that enforces the chart's network policy for sandboxes.
 * The test cluster's bridge enforces none.
 *
 * @param kubeconfig of a cluster that `startTestCluster` started.
 * @param others addresses of pods that are not sandboxes.
 */
export function enforceEgress(kubeconfig: string, { host, port }: Place, others: readonly string[]): void {
  const namespace = `/run/netns/${readFileSync(join(dirname(kubeconfig), "netns"), "utf8").trim()}`;
  const inside = (...words: string[]) => execFileSync("nsenter", [`--net=${namespace}`, ...words]);
  const rule = (...words: string[]) => inside("iptables", "--append", CHAIN, ...words);
  // Without it, traffic between pods of a node bypasses iptables.
  inside("sysctl", "-q", "net.bridge.bridge-nf-call-iptables=1");
  inside("iptables", "--new-chain", CHAIN);
  for (const address of others) rule("--source", address, "--jump", "RETURN");
  rule("--protocol", "tcp", "--destination", host, "--dport", String(port), "--jump", "RETURN");
  // Replies on connections that others opened.
  rule("--protocol", "tcp", "!", "--syn", "--jump", "RETURN");
  rule("--jump", "REJECT");
  for (const hook of ["INPUT", "FORWARD"])
    inside("iptables", "--append", hook, "--source", PODS, "--jump", CHAIN);
}
