export interface ServerEvent {
  event: string;
  data: string;
}

/** The events of a response in `text/event-stream`, as they arrive, without comments. */
export async function* serverEvents(response: Response): AsyncGenerator<ServerEvent> {
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = field(block, "data");
      if (data !== null) yield { event: field(block, "event") ?? "message", data };
    }
  }
}

function field(block: string, name: string): string | null {
  return new RegExp(`^${name}: ?(.*)$`, "m").exec(block)?.[1] ?? null;
}
