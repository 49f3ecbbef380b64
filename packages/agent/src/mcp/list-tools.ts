import { type Client, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { z } from "zod";
import { setAsideList } from "./set-aside.ts";

/** Limits of what is read of a server's list. */
const MAX_PAGES = 200;
const MAX_TOOLS = 10_000;
/** Characters of JSON in all tools together. */
const MAX_LENGTH = 4_000_000;

/** The tools and capabilities of a server, as far as they were read. */
export interface ToolList {
  /** The tools as the server sent them. */
  tools: readonly unknown[];
  /** Whether a limit was reached before the end of the list; the rest was not read. */
  truncated: boolean;
  /** Whether the server has resources, which its results may refer to. Default false. */
  hasResources?: boolean;
  /** The server's instructions for the use of its tools, if any. */
  instructions?: string;
}

const page = z.looseObject({ nextCursor: z.string().optional() });

/**
 * Reads the pages of a server's list of tools until its end or a limit, in `deadlineMs` milliseconds
 * together. Throws when that time is over.
 */
export async function listTools(client: Client, signal: AbortSignal, deadlineMs: number): Promise<ToolList> {
  const instructions = client.getInstructions();
  return {
    ...(await readPages(client, signal, deadlineMs)),
    hasResources: client.getServerCapabilities()?.resources !== undefined,
    ...(instructions !== undefined && { instructions }),
  };
}

async function readPages(client: Client, signal: AbortSignal, deadlineMs: number): Promise<ToolList> {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], truncated: false };
  const deadline = performance.now() + deadlineMs;
  const tools: unknown[] = [];
  const cursors = new Set<string>();
  let length = 0;
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const timeout = deadline - performance.now();
    if (timeout <= 0)
      throw new SdkError(SdkErrorCode.RequestTimeout, "The list of tools has too many slow pages.");
    const params = cursor === undefined ? {} : { cursor };
    const result = await client.request({ method: "tools/list", params }, page, { signal, timeout });
    for (const tool of setAsideList(result, "tools")) {
      length += JSON.stringify(tool).length;
      if (tools.length >= MAX_TOOLS || length > MAX_LENGTH) return { tools, truncated: true };
      tools.push(tool);
    }
    cursor = result.nextCursor;
    // A repeated cursor would cause an endless loop.
    if (cursor === undefined || cursors.has(cursor)) return { tools, truncated: false };
    cursors.add(cursor);
  }
  return { tools, truncated: true };
}
