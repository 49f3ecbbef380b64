/**
 * Makes stack traces name the sources, in each program of a bundle. Source maps are read when a trace is
 * first written, not at the start.
 */
import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";

const BUNDLE = new URL(".", import.meta.url).href;
const POSITION = /(file:\/\/[^\s)]+):(\d+):(\d+)/;
const maps = new Map<string, SourceMap | null>();

Error.prepareStackTrace = (error: unknown, frames) =>
  [heading(error), ...frames.map((frame) => `    at ${sourcePosition(`${frame}`)}`)].join("\n");

/**
 * Returns the first line of a trace. Errors of Node.js include their code in their own text, and values that
 * are not errors can have a trace as well.
 */
function heading(error: unknown): string {
  return error instanceof Error ? `${error}` : Error.prototype.toString.call(error);
}

function sourcePosition(frame: string): string {
  return frame.replace(POSITION, (text, url: string, line: string, column: string) => {
    const entry = mapOf(url)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !("originalSource" in entry)) return text;
    const { originalSource, originalLine, originalColumn } = entry;
    return `${new URL(originalSource, url)}:${originalLine + 1}:${originalColumn + 1}`;
  });
}

function mapOf(url: string): SourceMap | null {
  if (!url.startsWith(BUNDLE)) return null;
  const known = maps.get(url);
  if (known !== undefined) return known;
  const map = readMap(`${fileURLToPath(url)}.map`);
  maps.set(url, map);
  return map;
}

/** Returns null if the map cannot be read; the trace is then written without it. */
function readMap(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return null;
  }
}
