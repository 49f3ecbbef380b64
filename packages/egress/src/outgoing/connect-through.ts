import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import { isIPv6, type Socket } from "node:net";
import type { Target } from "./outgoing-proxies.ts";

const CONNECT_MS = 10_000;

/**
 * Opens a connection through a proxy. The proxy gets the address that was checked, never the name, which it
 * could resolve differently. Rejects with a sentence that names the proxy, without its password.
 */
export async function connectThrough(
  proxy: URL,
  { address, port }: Pick<Target, "address" | "port">,
  signal?: AbortSignal,
): Promise<Socket> {
  const path = `${isIPv6(address) ? `[${address}]` : address}:${port}`;
  const timeout = AbortSignal.timeout(CONNECT_MS);
  const request = (proxy.protocol === "https:" ? requestTls : requestPlain)({
    ...{ method: "CONNECT", host: proxy.hostname.replace(/^\[|\]$/g, ""), path, agent: false },
    port: proxy.port || (proxy.protocol === "https:" ? 443 : 80),
    headers: { host: path, ...authorization(proxy) },
    ...{ allowHalfOpen: true, noDelay: true },
    signal: signal == null ? timeout : AbortSignal.any([timeout, signal]),
  });
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  request.once("connect", (response: IncomingMessage, socket: Socket, head: Buffer) => {
    if (response.statusCode === 200) {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
      return;
    }
    socket.destroy();
    reject(new Error(`The outgoing proxy ${proxy.host} ${refusal(response.statusCode ?? 0)}.`));
  });
  request.once("error", ({ code }: NodeJS.ErrnoException) => {
    if (signal?.aborted) reject(signal.reason);
    else if (timeout.aborted) reject(new Error(`The outgoing proxy ${proxy.host} does not answer.`));
    else reject(new Error(`The outgoing proxy ${proxy.host} cannot be reached (${code ?? "no HTTP"}).`));
  });
  request.on("error", () => undefined).end();
  return await promise;
}

function refusal(status: number): string {
  // tinyproxy sends 401 for a wrong password and 407 for a missing one.
  if (status === 407 || status === 401) return `demands another user and password (${status})`;
  return `refuses the connection (${status})`;
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}` };
}
