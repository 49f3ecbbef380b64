// Replaces kube-proxy and the cluster's DNS, which the test cluster lacks: service addresses, and names.
import { execFileSync, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { RESOLVER, resolve } from "./resolver.ts";

export interface Place {
  host: string;
  port: number;
}

export interface ServiceNetwork {
  /** Makes pods resolve the name to the address. */
  name(name: string, address: string): Promise<void>;
  /** Forwards connections to the place in the cluster to a port on this process's loopback. */
  toHere(place: Place, port: number): Promise<void>;
  /** Forwards connections to the place in the cluster to a pod. A later call replaces the pod. */
  toPod(place: Place, pod: Place): Promise<void>;
  close(): void;
}

type Request =
  | { do: "name"; name: string; address: string }
  | { do: "listen"; place: Place }
  | { do: "forward"; place: Place; pod: Place };

/** Opens the network of a cluster. @param kubeconfig of a cluster that `startTestCluster` started. */
export async function openServiceNetwork(kubeconfig: string): Promise<ServiceNetwork> {
  const namespace = `/run/netns/${readFileSync(join(dirname(kubeconfig), "netns"), "utf8").trim()}`;
  const stdio = ["ignore", "inherit", "inherit", "ipc"] as const;
  const child = spawn("nsenter", [`--net=${namespace}`, process.execPath, import.meta.filename], {
    stdio: [...stdio],
  });
  await once(child, "message");
  const servers: Server[] = [];
  let last: Promise<unknown> = Promise.resolve();
  /** Sends requests one after another, so that each response belongs to the last request. */
  const ask = (request: Request) => {
    const asked = last.then(async () => {
      const answer = once(child, "message");
      child.send(request);
      return (await answer)[1] as Server | undefined;
    });
    last = asked;
    return asked;
  };
  return {
    name: async (name, address) => void (await ask({ do: "name", name, address })),
    async toHere(place, port) {
      const server = await ask({ do: "listen", place });
      if (server === undefined) throw new Error("no socket came");
      servers.push(server.on("connection", (socket) => connectBoth(socket, connect(port, "127.0.0.1"))));
    },
    toPod: async (place, pod) => void (await ask({ do: "forward", place, pod })),
    close() {
      for (const server of servers) server.close();
      child.disconnect();
    },
  };
}

function connectBoth(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const)
    from
      .setNoDelay(true)
      .on("error", () => to.destroy())
      .on("close", () => to.destroy())
      .pipe(to);
}

if (process.argv[1] === import.meta.filename) await serve();

/** Serves requests in the cluster's network namespace. */
async function serve(): Promise<void> {
  const names = new Map<string, string>();
  const pods = new Map<string, Place>();
  addAddress(RESOLVER);
  const resolver = createSocket("udp4").on("message", (query, { port, address }) =>
    resolver.send(resolve(query, names), port, address),
  );
  resolver.bind(53, RESOLVER);
  await once(resolver, "listening");
  const listen = async ({ host, port }: Place, taken?: (socket: Socket) => void) => {
    addAddress(host);
    const server = createServer(taken).listen(port, host);
    await once(server, "listening");
    return server;
  };
  process.on("message", async (request: Request) => {
    if (request.do === "name") names.set(request.name, request.address);
    if (request.do === "forward") {
      const key = JSON.stringify(request.place);
      const isNew = !pods.has(key);
      pods.set(key, request.pod);
      if (isNew)
        await listen(request.place, (socket) => {
          const { host = "", port = 0 } = pods.get(key) ?? {};
          connectBoth(socket, connect(port, host));
        });
    }
    if (request.do === "listen") {
      const server = await listen(request.place);
      process.send?.("done", server, {}, () => server.close());
    } else process.send?.("done");
  });
  process.on("disconnect", () => process.exit(0));
  process.send?.("ready");
}

function addAddress(address: string): void {
  try {
    execFileSync("ip", ["address", "add", `${address}/32`, "dev", "lo"], { stdio: "ignore" });
  } catch {
    // The address exists already.
  }
}
