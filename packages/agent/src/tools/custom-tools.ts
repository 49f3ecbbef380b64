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

const LIMITS = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"];

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
  const kept = ["type", ...LIMITS].filter((keyword) => given[keyword] !== undefined);
  const loose: Record<string, unknown> = Object.fromEntries(kept.map((keyword) => [keyword, given[keyword]]));
  if (items !== undefined && !Array.isArray(items)) loose.items = loosened(items);
  if (properties === undefined) return loose;
  const entries = Object.entries(properties as object).map(([name, inner]) => [name, loosened(inner)]);
  loose.properties = Object.fromEntries(entries);
  if (required !== undefined) loose.required = required;
  if (given.additionalProperties === false && given.patternProperties === undefined)
    loose.additionalProperties = false;
  return loose;
}

function isPlain(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}
