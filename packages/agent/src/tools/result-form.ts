import { DEFAULT_RESULT_BYTES, type SessionAgent } from "@berth/contract";
import { COMPACT_RESULTS } from "../prompts/prefix-version.ts";
import { toolConfig } from "./agent-toolsets.ts";

/** The tools whose results can be long. */
export type SizedTool = keyof typeof DEFAULT_RESULT_BYTES;

/** The size limit and form of a tool's results. */
export interface ResultForm {
  /** Maximum bytes of output, file content or matches. Notes about omissions come on top. */
  maxBytes: number;
  /** Whether results omit what the model knows: padding, an unchanged directory, a file that it has read. */
  isCompact: boolean;
}

/** Limits for sessions older than `COMPACT_RESULTS`. Read was limited only in lines. */
const FORMER_BYTES: Record<SizedTool, number> = {
  Bash: 102_400,
  Read: Number.POSITIVE_INFINITY,
  Grep: 102_400,
  Explore: DEFAULT_RESULT_BYTES.Explore,
};

/** Returns the limit and form of a tool's results. @param prefixVersion see `PREFIX_VERSION`. */
export function resultForm(
  agent: Pick<SessionAgent, "tools">,
  name: SizedTool,
  prefixVersion: number,
): ResultForm {
  const chosen = toolConfig(agent, name)?.max_result_bytes;
  const isCompact = hasCompactResults(prefixVersion);
  return { maxBytes: chosen ?? (isCompact ? DEFAULT_RESULT_BYTES : FORMER_BYTES)[name], isCompact };
}

/** Returns whether results are compact. @param prefixVersion see `PREFIX_VERSION`. */
export function hasCompactResults(prefixVersion: number): boolean {
  return prefixVersion >= COMPACT_RESULTS;
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
