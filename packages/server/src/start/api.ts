import type { Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { ConfigError } from "../config/config-error.ts";
import type { TlsFiles, TlsPair } from "../config/tls-pair.ts";
import { type AppDeps, createApp, createMetricsApp } from "./app.ts";
import { followTlsFiles } from "./follow-tls-files.ts";
import { isWrongAddress, type ListenAddress, listenFailure } from "./listen-failure.ts";

/** The certificate, and the files that it is taken from anew when they change. */
export interface Tls {
  files: TlsFiles;
  pair: TlsPair;
}

export interface ApiOptions extends Omit<AppDeps, "tls" | "metricsApart">, ListenAddress {
  /** Where the metrics are, and nothing else. Default: with all else. */
  metricsAddress?: ListenAddress | null;
  /** Default: plain HTTP. */
  tls?: Tls | null;
}

export interface Api {
  /** `http://<host>:<port>`, or `https:`, with the actual port. */
  readonly url: string;
  /** Accepts no more requests, ends the streams, and resolves when the running requests have finished, or are cut off. */
  close(): Promise<void>;
}

/** Starts listening. Rejects with one sentence for the operator, and listens nowhere then. */
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
      log.info({ url: `${url}/metrics` }, "metrics have an address of their own");
    }
    return { url: await listen(app.fastify, options, { tls, log }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Returns its URL, with the actual port. */
async function listen(
  fastify: FastifyInstance,
  { host, port }: ListenAddress,
  { tls, log }: { tls: Tls | null; log: Logger },
): Promise<string> {
  if (tls !== null) {
    const unfollow = followTlsFiles(fastify.server as object as TlsServer, tls.files, log);
    fastify.addHook("onClose", async () => unfollow());
  }
  await fastify.listen({ host, port }).catch((error) => {
    const sentence = listenFailure(error, { host, port });
    throw isWrongAddress(error) ? new ConfigError([sentence]) : new Error(sentence, { cause: error });
  });
  const { address, port: actual, family } = fastify.server.address() as AddressInfo;
  const name = family === "IPv6" ? `[${address}]` : address;
  return `${tls === null ? "http" : "https"}://${name}:${actual}`;
}

/** How long running requests have to finish. A longer one is cut off; an upload continues later from what was received. */
const CLOSE_MS = 5_000;

async function closeWithin(milliseconds: number, fastify: FastifyInstance): Promise<void> {
  const timer = setTimeout(() => fastify.server.closeAllConnections(), milliseconds);
  await fastify.close().finally(() => clearTimeout(timer));
}
