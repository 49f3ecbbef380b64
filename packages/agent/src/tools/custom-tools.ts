import type { CustomTool, SessionAgent } from "@berth/contract";
import { z } from "zod";
import type { ToolSpec } from "./tool.ts";

/** The tools that the client of an agent's sessions runs. */
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

const limits = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"];

/**
 * What of a client's schema a call is held to: types, required and unknown fields, values and limits. Not stricter than the
 * schema, and of a cost that follows from its size and the input's. Patterns, references and combinations are not looked
 * at, since no tenant's schema may stop the process for all; the client has the last word.
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
  const kept = ["type", ...limits].filter((keyword) => given[keyword] !== undefined);
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
