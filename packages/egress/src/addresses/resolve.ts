import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { type HostName, parseHostName } from "../names/host-name.ts";

/** The addresses that a hosts file gives a name, in its order; none when it does not, or cannot be read. */
export async function addressesInHostsFile(name: HostName, file = "/etc/hosts"): Promise<string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    return isIP(address) !== 0 && names.some((one) => parseHostName(one) === name) ? [address] : [];
  });
}
