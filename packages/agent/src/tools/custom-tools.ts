import type { CustomTool, SessionAgent } from "@berth/contract";
import { z } from "zod";
import type { ToolSpec } from "./tool.ts";

/** The tools of an agent that the client runs. */
export function customTools(agent: Pick<SessionAgent, "tools">): ToolSpec[] {
  return agent.tools
    .filter((entry) => entry.type === "custom")
    .map(({ name, description, input_schema }) => ({
      name,
      description,
      input: looseSchema(input_schema),
      inputSchema: input_schema,
    }));
}

const NUMBER_LIMITS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
const LIMITS = [...NUMBER_LIMITS, "minLength", "maxLength", "minItems", "maxItems"];
/** Any value that is there. */
const PRESENT = {
  anyOf: ["object", "array", "string", "number", "boolean", "null"].map((type) => ({ type })),
};

/**
 * The part of a client's schema that calls are validated against: types, required and unknown fields, values and limits. Never
 * stricter than the schema. Patterns, references and combinations are ignored, so that the cost is linear in schema and input
 * and no tenant's schema can block the process; the client validates the rest.
 */
export function looseSchema(schema: CustomTool["input_schema"]): z.ZodType {
  try {
    return z.fromJSONSchema(loosened(schema) as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    return z.looseObject({});
  }
}

function loosened(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  const given = schema as Record<string, unknown>;
  const { type, enum: values, const: value, properties, required, items, anyOf } = given;
  if (Array.isArray(values)) return values.every(isPlain) ? { enum: values } : {};
  if (value !== undefined) return isPlain(value) ? { const: value } : {};
  if (type === undefined) return Array.isArray(anyOf) ? { anyOf: anyOf.map(loosened) } : {};
  const kept = ["type", ...LIMITS.filter((keyword) => typeof given[keyword] === "number")];
  const loose: Record<string, unknown> = Object.fromEntries(kept.map((keyword) => [keyword, given[keyword]]));
  loose.items = items === undefined || Array.isArray(items) ? {} : loosened(items);
  const names = Array.isArray(required) ? required.map(String) : [];
  // Every object has a member of such a name, which would be taken for the field where that is left out.
  const isInherited = (name: string) => name in Object.prototype && !names.includes(name);
  const entries = Object.entries(properties ?? {}).map(([name, inner]) => [
    name,
    isInherited(name) ? {} : loosened(inner),
  ]);
  loose.properties = {
    ...Object.fromEntries(names.map((name) => [name, PRESENT])),
    ...Object.fromEntries(entries),
  };
  loose.required = names;
  if (given.additionalProperties === false && given.patternProperties === undefined)
    loose.additionalProperties = false;
  return loose;
}

function isPlain(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}
