import { z } from "zod";
import type { Fetch } from "../ai-sdk/transport.ts";

/** An Ollama that answers, and the models that it has. */
export interface Ollama {
  /** Of its OpenAI-compatible API. */
  baseUrl: string;
  models: string[];
}

const tags = z.object({ models: z.array(z.object({ name: z.string() })) });

/** Asks the Ollama at `host`, as `OLLAMA_HOST` names it, for 300 ms at most. Null when none answers. */
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
    // No Ollama is the usual case, and no fault.
    return null;
  }
}

/** `OLLAMA_HOST` may lack the scheme and the port, and may be the address that Ollama listens on, which nobody can call. */
function originOf(host: string | undefined): string | null {
  const given = host?.trim() || "127.0.0.1";
  const full = /^https?:\/\//.test(given) ? given : `http://${given}`;
  if (!URL.canParse(full)) return null;
  const url = new URL(full);
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.port === "" && full !== given) url.port = "11434";
  return url.origin;
}
