import type { Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type AppDeps, createApp, createHealthApp, createMetricsApp, type ServiceDeps } from "@berth/api/app";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { ConfigError } from "../config/config-error.ts";
import type { TlsFiles, TlsPair } from "../config/tls-pair.ts";
import { followTlsFiles } from "./follow-tls-files.ts";
import { isWrongAddress, type ListenAddress, listenFailure } from "./listen-failure.ts";

/** The certificate, and the files from which it is reloaded when they change. */
export interface Tls {
  files: TlsFiles;
  pair: TlsPair;
}

export interface ApiOptions extends Omit<AppDeps, "tls" | "metricsApart">, ListenAddress {
  /** Separate address for the metrics. Default: null, at the address of the API. */
  metricsAddress?: ListenAddress | null;
  /** Certificate of the service. Default: null, plain HTTP. */
  tls?: Tls | null;
}

/** The API of a service that is listening. */
export interface Api {
  /** `http://<host>:<port>`, or `https:`, with the actual port. */
  readonly url: string;
  /**
   * Ends the streams and accepts no more requests. Resolves when running requests have ended or were cut off.
   */
  close(): Promise<void>;
}

/** Starts listening. Rejects with one sentence for the operator, after closing all listeners. */
export async function startApi(options: ApiOptions): Promise<Api> {
  const { tls = null, metricsAddress = null, log } = options;
  const app = createApp({ ...options, metricsApart: metricsAddress !== null, tls: tls?.pair });
  const apps = [app.fastify];
  const close = async () => {
    await Promise.all(apps.map((one) => closeWithin(CLOSE_MS, one)));
  };
  try {
    if (metricsAddress !== null) {
      const { fastify } = createMetricsApp(app, options);
      apps.push(fastify);
      const url = await listen(fastify, metricsAddress, { tls, log });
      log.info({ url: `${url}/metrics` }, "metrics are served at a separate address");
    }
    const url = await listen(app.fastify, options, { tls, log });
    app.deployments.start();
    return { url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export interface HealthOptions extends Omit<ServiceDeps, "tls"> {
  address: ListenAddress;
  /** Certificate of the service. Default: null, plain HTTP. */
  tls?: Tls | null;
}

/** Starts listening for the health and metrics of a service without an API. Rejects like `startApi`. */
export async function startHealth(options: HealthOptions): Promise<Pick<Api, "url" | "close">> {
  const { tls = null, address, log } = options;
  const { fastify } = createHealthApp({ ...options, tls: tls?.pair });
  const close = () => closeWithin(CLOSE_MS, fastify);
  try {
    return { url: await listen(fastify, address, { tls, log }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function followTls(fastify: FastifyInstance, tls: Tls | null, log: Logger): void {
  if (tls === null) return;
  const unfollow = followTlsFiles(fastify.server as object as TlsServer, tls.files, log);
  fastify.addHook("onClose", async () => unfollow());
}

/** Starts listening. Returns the URL, with the actual port. Rejects with ConfigError for a wrong address. */
async function listen(
  fastify: FastifyInstance,
  { host, port }: ListenAddress,
  { tls, log }: { tls: Tls | null; log: Logger },
): Promise<string> {
  followTls(fastify, tls, log);
  await fastify.listen({ host, port }).catch((error) => {
    const sentence = listenFailure(error, { host, port });
    throw isWrongAddress(error) ? new ConfigError([sentence]) : new Error(sentence, { cause: error });
  });
  const { address, port: actual, family } = fastify.server.address() as AddressInfo;
  const name = family === "IPv6" ? `[${address}]` : address;
  return `${tls === null ? "http" : "https"}://${name}:${actual}`;
}

/** Milliseconds that running requests have to finish. Longer ones are cut off; uploads can be resumed. */
const CLOSE_MS = 5_000;

async function closeWithin(milliseconds: number, fastify: FastifyInstance): Promise<void> {
  const timer = setTimeout(() => fastify.server.closeAllConnections(), milliseconds);
  await fastify.close().finally(() => clearTimeout(timer));
}
