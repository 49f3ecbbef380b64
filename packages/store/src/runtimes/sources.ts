import { RUNTIMES } from "@berth/contract";
import type { z } from "zod";
import { DEFAULT_SOURCES } from "./default-sources.ts";
import { type RuntimeSources, sources } from "./source-schema.ts";

/**
 * Returns Berth's own sources, with those of the operator in place of those of the same runtime.
 *
 * @param text JSON of the operator's file; null for none.
 * @throws Error with a clause for the operator.
 */
export function runtimeSources(text: string | null): RuntimeSources {
  const given = text === null ? {} : parse(text);
  const all = { ...parsed(DEFAULT_SOURCES), ...given };
  return Object.fromEntries(RUNTIMES.map((name) => [name, all[name] ?? []])) as unknown as RuntimeSources;
}

function parse(text: string): z.output<typeof sources> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("must be valid JSON");
  }
  return parsed(value);
}

function parsed(value: unknown): z.output<typeof sources> {
  const result = sources.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const at = issue?.path.map(String).join(".") ?? "";
  throw new Error(`${at === "" ? "it" : at}: ${issue?.message ?? "is wrong"}`);
}
