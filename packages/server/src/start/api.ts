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

/** Starts to listen; resolves when requests are answered. */
export async function startApi(options: ApiOptions): Promise<Api> {
  const { fastify } = createApp(options);
  await fastify.listen({ host: options.host, port: options.port });
  const { address, port, family } = fastify.server.address() as AddressInfo;
  const host = family === "IPv6" ? `[${address}]` : address;
  return { url: `http://${host}:${port}`, close: () => fastify.close() };
}
