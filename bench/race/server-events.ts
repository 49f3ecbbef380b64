import { eventBlocks } from "../../tests/acceptance/harness/stream.ts";

export interface ServerEvent {
  event: string;
  data: string;
}

/**
 * Yields the events of a `text/event-stream` response as they arrive, without comments. @throws for an error
 * status.
 */
export async function* serverEvents(response: Response): AsyncGenerator<ServerEvent> {
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
  for await (const block of eventBlocks(response)) {
    const data = field(block, "data");
    if (data !== null) yield { event: field(block, "event") ?? "message", data };
  }
}

function field(block: string, name: string): string | null {
  return new RegExp(`^${name}: ?(.*)$`, "m").exec(block)?.[1] ?? null;
}
