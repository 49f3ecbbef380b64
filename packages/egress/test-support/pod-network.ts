import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { promisify } from "node:util";
import { CAPTURE_ROUTES } from "../src/tunnel/programs.ts";

const run = promisify(execFile);

/** A network namespace like a pod's: an interface with an address, and a default route through a gateway. */
export interface PodNetwork {
  /** Address of the interface inside. `hop` is that of its other end, on this machine. */
  address: string;
  hop: string;
  netFd: number;
  /** Command and arguments that run another command inside. */
  enter: readonly string[];
  /** Installs the capture routes as the init container of a pod does, with only CAP_NET_ADMIN. */
  capture(gateway: string, port: number): Promise<void>;
  close(): Promise<void>;
}

let count = 0;

/** Creates a network. Requires root. Closing the namespace removes its interfaces. */
export async function openPodNetwork(): Promise<PodNetwork> {
  count += 1;
  const block = 4 * (count % 60);
  const [hop, address] = [1, 2].map(
    (last) => `10.${200 + ((process.pid >> 8) % 50)}.${process.pid % 256}.${block + last}`,
  ) as [string, string];
  const holder = spawn("unshare", ["--net", "--", "sh", "-c", "echo ready; exec sleep infinity"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(holder.stdout, "data");
  const [name, pid] = [`pod${process.pid % 100_000}-${count}`, String(holder.pid)];
  const netFd = openSync(`/proc/${pid}/ns/net`, "r");
  const enter = ["nsenter", `--net=/proc/${pid}/ns/net`, "--"];
  const inside = (...words: string[]) => run(enter[0] ?? "", [...enter.slice(1), ...words]);
  await run("ip", ["link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", pid]);
  await run("ip", ["address", "add", `${hop}/30`, "dev", name]);
  await run("ip", ["link", "set", name, "up"]);
  await inside("sh", "-c", "echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start");
  await inside("ip", "link", "set", "lo", "up");
  await inside("ip", "address", "add", `${address}/30`, "dev", "eth0");
  await inside("ip", "link", "set", "eth0", "up");
  await inside("ip", "route", "add", "default", "via", hop);
  return {
    address,
    hop,
    netFd,
    enter,
    async capture(gateway, port) {
      const only = ["setpriv", "--inh-caps=-all,+net_admin", "--bounding-set=-all,+net_admin", "--"];
      await inside(...only, "perl", "-e", CAPTURE_ROUTES, "--", gateway, String(port));
    },
    async close() {
      holder.kill("SIGKILL");
      closeSync(netFd);
      await run("ip", ["link", "delete", name]).catch(() => {});
    },
  };
}
