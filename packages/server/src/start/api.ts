import type { AddressInfo } from "node:net";
import { type AppDeps, createApp } from "../app.ts";

export interface ApiOptions extends AppDeps {
  host: string;
  /** 0: a free one. */
  port: number;
}

export interface Api {
  /** `http://<host>:<port>`, as it can be called. */
  readonly url: string;
  /** Takes no more requests, ends the streams, and resolves when every request under way is answered. */
  close(): Promise<void>;
}

/** Starts to listen; resolves when requests are answered. Rejects with one sentence for the operator. */
export async function startApi(options: ApiOptions): Promise<Api> {
  const { fastify } = createApp(options);
  await fastify.listen({ host: options.host, port: options.port }).catch((error) => {
    throw new Error(refusal(error, options), { cause: error });
  });
  const { address, port, family } = fastify.server.address() as AddressInfo;
  const host = family === "IPv6" ? `[${address}]` : address;
  return { url: `http://${host}:${port}`, close: () => fastify.close() };
}

function refusal({ code, message }: NodeJS.ErrnoException, { host, port }: ApiOptions): string {
  const place = `port ${port} of ${host}`;
  if (code === "EADDRINUSE")
    return `Another program listens on ${place} already. Stop it, or choose another port.`;
  if (code === "EACCES") return `This user may not listen on ${place}. Choose a port from 1024 on.`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return `${host} is no address of this machine.`;
  return `Berth cannot listen on ${place}: ${message}`;
}
