import { z } from "zod";
import type { Fetch } from "../ai-sdk/transport.ts";

/** A running Ollama server and its models. */
export interface Ollama {
  /** The base URL of its OpenAI-compatible API. */
  baseUrl: string;
  models: string[];
}

const tags = z.object({ models: z.array(z.object({ name: z.string() })) });

/** Queries the Ollama server at `host`, in the format of `OLLAMA_HOST`, for 300 ms at most. Null when there is no response. */
export async function findOllama(host: string | undefined, fetch: Fetch): Promise<Ollama | null> {
  const origin = originOf(host);
  if (origin === null) return null;
  try {
    const response = await fetch(`${origin}/api/tags`, {
      signal: AbortSignal.timeout(300),
      redirect: "error",
    });
    const { models } = tags.parse(await response.json());
    return { baseUrl: `${origin}/v1`, models: models.map(({ name }) => name) };
  } catch {
    // Not an error: most installations have no Ollama.
    return null;
  }
}

/** `OLLAMA_HOST` may lack scheme and port, and may be the listen address 0.0.0.0, which cannot be connected to. */
function originOf(host: string | undefined): string | null {
  const given = host?.trim() || "127.0.0.1";
  const full = /^https?:\/\//.test(given) ? given : `http://${given}`;
  if (!URL.canParse(full)) return null;
  const url = new URL(full);
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.port === "" && full !== given) url.port = "11434";
  return url.origin;
}
