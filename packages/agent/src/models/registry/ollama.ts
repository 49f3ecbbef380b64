import { connect } from "node:net";
import { z } from "zod";
import type { Fetch } from "../ai-sdk/transport.ts";

/** A running Ollama server and its models. */
export interface Ollama {
  /** The base URL of its OpenAI-compatible API. */
  baseUrl: string;
  models: string[];
}

const TIMEOUT_MS = 300;

const tags = z.object({ models: z.array(z.object({ name: z.string() })) });

/** Queries the server at `host`, in `OLLAMA_HOST` format, for at most 300 ms. Returns null on failure. */
export async function findOllama(host: string | undefined, fetch: Fetch): Promise<Ollama | null> {
  const origin = originOf(host);
  if (origin === null || !(await mayListen(new URL(origin)))) return null;
  try {
    const response = await fetch(`${origin}/api/tags`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: "error",
    });
    const { models } = tags.parse(await response.json());
    return { baseUrl: `${origin}/v1`, models: models.map(({ name }) => name) };
  } catch {
    // A missing server is no error: most installations have no Ollama.
    return null;
  }
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/;

/**
 * Returns whether something may listen at the URL. On this machine a plain connection tests that, since most
 * installations would load the client of `fetch` only to find nothing.
 */
function mayListen({ hostname, port, protocol }: URL): Promise<boolean> {
  if (!LOOPBACK.test(hostname)) return Promise.resolve(true);
  const host = hostname.replaceAll(/[[\]]/g, "");
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) || (protocol === "https:" ? 443 : 80) })
      .on("connect", () => resolve(true))
      .on("error", () => resolve(false))
      .setTimeout(TIMEOUT_MS, () => resolve(false));
    socket.on("connect", () => socket.destroy()).on("timeout", () => socket.destroy());
  });
}

/**
 * Returns the origin of an `OLLAMA_HOST`, which may lack scheme and port, and may be the listen address
 * 0.0.0.0, which cannot be connected to. Returns null when it is invalid.
 */
function originOf(host: string | undefined): string | null {
  const given = host?.trim() || "127.0.0.1";
  const full = /^https?:\/\//.test(given) ? given : `http://${given}`;
  if (!URL.canParse(full)) return null;
  const url = new URL(full);
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.port === "" && full !== given) url.port = "11434";
  return url.origin;
}
