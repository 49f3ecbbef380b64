import type { Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { ConfigError } from "../config/config-error.ts";
import type { TlsFiles, TlsPair } from "../config/tls-pair.ts";
import { type AppDeps, createApp } from "./app.ts";
import { followTlsFiles } from "./follow-tls-files.ts";

/** The certificate, and the files that it is taken from anew when they change. */
export interface Tls {
  files: TlsFiles;
  pair: TlsPair;
}

export interface ApiOptions extends Omit<AppDeps, "tls"> {
  host: string;
  /** 0: any free port. */
  port: number;
  /** Default: plain HTTP. */
  tls?: Tls | null;
}

export interface Api {
  /** `http://<host>:<port>`, or `https:`, with the actual port. */
  readonly url: string;
  /** Accepts no more requests, ends the streams, and resolves when the running requests have finished, or are cut off. */
  close(): Promise<void>;
}

/** Starts listening. Rejects with one sentence for the operator. */
export async function startApi({ tls = null, ...options }: ApiOptions): Promise<Api> {
  const { fastify } = createApp({ ...options, tls: tls?.pair });
  if (tls !== null) {
    const unfollow = followTlsFiles(fastify.server as object as TlsServer, tls.files, options.log);
    fastify.addHook("onClose", async () => unfollow());
  }
  await fastify.listen({ host: options.host, port: options.port }).catch((error) => {
    const sentence = listenFailure(error, options);
    throw WRONG_ADDRESS.includes(error.code)
      ? new ConfigError([sentence])
      : new Error(sentence, { cause: error });
  });
  const { address, port, family } = fastify.server.address() as AddressInfo;
  const host = family === "IPv6" ? `[${address}]` : address;
  const scheme = tls === null ? "http" : "https";
  return { url: `${scheme}://${host}:${port}`, close: () => closeWithin(CLOSE_MS, fastify) };
}

/** How long running requests have to finish. A longer one is cut off; an upload continues later from what was received. */
const CLOSE_MS = 5_000;

async function closeWithin(milliseconds: number, fastify: FastifyInstance): Promise<void> {
  const timer = setTimeout(() => fastify.server.closeAllConnections(), milliseconds);
  await fastify.close().finally(() => clearTimeout(timer));
}

/** Here the settings are wrong, and not what the machine does. */
const WRONG_ADDRESS = ["EACCES", "EADDRNOTAVAIL", "ENOTFOUND"];

function listenFailure(
  { code, message }: NodeJS.ErrnoException,
  { host, port }: Pick<ApiOptions, "host" | "port">,
): string {
  const address = `port ${port} of ${host}`;
  if (code === "EADDRINUSE")
    return `Another program already listens on ${address}. Stop it, or choose another port.`;
  if (code === "EACCES") return `This user may not listen on ${address}. Choose a port of 1024 or above.`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return `${host} is not an address of this machine.`;
  return `Berth cannot listen on ${address}: ${message}`;
}
