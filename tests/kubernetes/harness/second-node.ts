import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Node } from "./provisioner.ts";

const run = promisify(execFile);

/** The name of the node, and of its directory within the cluster's. */
export const SECOND_NODE = "node2";
const [FIRST_ADDRESS, ADDRESS] = ["10.77.0.1", "10.77.0.2"];
const [FIRST_PODS, PODS] = ["10.88.0.0/16", "10.89.0.0/16"];
/** The second node's end of the cable to the first node; the other end has the node's name. */
const CABLE = "node0";

/**
 * Prepares what the kit's `node.sh` needs for a second node, including a network that a cable connects to the
 * first node's.
 */
export async function makeSecondNode(cluster: string): Promise<Node> {
  const directory = join(cluster, SECOND_NODE);
  await mkdir(directory);
  await copyScripts(join(cluster, "kit"), join(directory, "kit"));
  for (const name of ["bin", "pause.tar"]) await symlink(join(cluster, name), join(directory, name));
  await copyFile(join(cluster, "tokens.csv"), join(directory, "tokens.csv"));
  const kubeconfig = await readFile(join(cluster, "kubeconfig"), "utf8");
  await writeFile(join(directory, "kubeconfig"), throughCable(kubeconfig), { mode: 0o600 });
  await openNetwork(await namespaceOf(cluster), directory);
  return { name: SECOND_NODE, directory };
}

/** Deletes the cable, like a power or network failure that nobody announces. */
export async function pullCable(cluster: string): Promise<void> {
  await run("ip", ["-n", await namespaceOf(cluster), "link", "delete", SECOND_NODE]);
}

async function openNetwork(first: string, directory: string): Promise<void> {
  const own = `${first}-2`;
  await writeFile(join(directory, "netns"), `${own}\n`);
  const ip = (...words: string[]) => run("ip", words);
  await ip("netns", "add", own);
  await ip("-n", first, "link", "add", SECOND_NODE, "type", "veth", "peer", "name", CABLE, "netns", own);
  await ip("-n", first, "link", "set", SECOND_NODE, "master", "node0", "up");
  for (const link of ["lo", CABLE]) await ip("-n", own, "link", "set", link, "up");
  await ip("-n", own, "address", "add", `${ADDRESS}/24`, "dev", CABLE);
  await ip("-n", own, "route", "add", FIRST_PODS, "via", FIRST_ADDRESS);
  await ip("-n", first, "route", "add", PODS, "via", ADDRESS);
}

async function copyScripts(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const name of await readdir(from)) {
    const text = await readFile(join(from, name), "utf8");
    const own = text.replaceAll(FIRST_ADDRESS, ADDRESS).replaceAll("node1", SECOND_NODE);
    await writeFile(join(to, name), throughCable(own).replaceAll(FIRST_PODS, PODS));
  }
}

/** Makes a kubeconfig use the address of the first node, where the API server is. */
function throughCable(text: string): string {
  return text.replaceAll("https://127.0.0.1:4443", `https://${FIRST_ADDRESS}:4443`);
}

async function namespaceOf(cluster: string): Promise<string> {
  return (await readFile(join(cluster, "netns"), "utf8")).trim();
}
