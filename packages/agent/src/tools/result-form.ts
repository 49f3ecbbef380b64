import { DEFAULT_RESULT_BYTES, type SessionAgent } from "@berth/contract";
import { toolConfig } from "./agent-toolsets.ts";

/** The tools whose results can be long. */
type SizedTool = keyof typeof DEFAULT_RESULT_BYTES;

/**
 * Returns the maximum bytes of output, file content or matches in a tool's results. Notes about omissions come
 * on top. Default: `DEFAULT_RESULT_BYTES`.
 */
export function maxResultBytes(agent: Pick<SessionAgent, "tools">, name: SizedTool): number {
  return toolConfig(agent, name)?.max_result_bytes ?? DEFAULT_RESULT_BYTES[name];
}

/** Returns as many of the lines as fit into `maxBytes`, but at least the first. */
export function linesWithin(lines: readonly string[], maxBytes: number): readonly string[] {
  let bytes = 0;
  const end = lines.findIndex((line, index) => {
    bytes += Buffer.byteLength(line) + 1;
    return bytes > maxBytes && index > 0;
  });
  return end === -1 ? lines : lines.slice(0, end);
}

/** Formats a size, such as `100 KiB` or `9.8 KiB`. */
export function kibibytes(bytes: number): string {
  return `${Math.round(bytes / 102.4) / 10} KiB`;
}
