import { DEFAULT_RESULT_BYTES, type SessionAgent } from "@berth/contract";
import { COMPACT_RESULTS } from "../prompts/prefix-version.ts";
import { toolConfig } from "./agent-toolsets.ts";

/** The tools whose results can be long. */
export type SizedTool = keyof typeof DEFAULT_RESULT_BYTES;

/** How much of a result the model sees, and in which form. */
export interface ResultForm {
  /** Of what was printed, read or found. Notes of what is left out come on top. */
  maxBytes: number;
  /** Says nothing that the model sees already: no padding, no directory that has not changed, no file that it has read. */
  isCompact: boolean;
}

/** Of sessions before `COMPACT_RESULTS`. A Read had its limit in lines alone. */
const FORMER_BYTES: Record<SizedTool, number> = {
  Bash: 102_400,
  Read: Number.POSITIVE_INFINITY,
  Grep: 102_400,
  Explore: DEFAULT_RESULT_BYTES.Explore,
};

/** @param prefixVersion see `PREFIX_VERSION`. */
export function resultForm(
  agent: Pick<SessionAgent, "tools">,
  name: SizedTool,
  prefixVersion: number,
): ResultForm {
  const chosen = toolConfig(agent, name)?.max_result_bytes;
  const isCompact = hasCompactResults(prefixVersion);
  return { maxBytes: chosen ?? (isCompact ? DEFAULT_RESULT_BYTES : FORMER_BYTES)[name], isCompact };
}

/** @param prefixVersion see `PREFIX_VERSION`. */
export function hasCompactResults(prefixVersion: number): boolean {
  return prefixVersion >= COMPACT_RESULTS;
}

/** As many of the lines as `maxBytes` hold, but at least the first. */
export function linesWithin(lines: readonly string[], maxBytes: number): readonly string[] {
  let bytes = 0;
  const end = lines.findIndex((line, index) => {
    bytes += Buffer.byteLength(line) + 1;
    return bytes > maxBytes && index > 0;
  });
  return end === -1 ? lines : lines.slice(0, end);
}

/** `100 KiB`, `9.8 KiB`. */
export function kibibytes(bytes: number): string {
  return `${Math.round(bytes / 102.4) / 10} KiB`;
}
