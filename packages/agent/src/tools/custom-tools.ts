import type { CustomTool, SessionAgent } from "@berth/contract";
import { z } from "zod";
import { inWords } from "../tool-schemas/merge-alternatives.ts";
import { normalizeToolSchema } from "../tool-schemas/normalize-schema.ts";
import type { OriginalNames } from "../tool-schemas/property-names.ts";
import type { ToolSpec } from "./tool.ts";

/** A tool that the client runs. `input` validates what the client gets, with the client's property names. */
export interface ClientTool extends ToolSpec {
  readonly inputSchema: Record<string, unknown>;
  /** The client's name of each renamed property, by its name in `inputSchema`. */
  readonly originals: OriginalNames;
}

/** Returns an agent's custom tools, with schemas that every provider accepts. */
export function customTools(agent: Pick<SessionAgent, "tools">): ClientTool[] {
  return agent.tools
    .filter((entry) => entry.type === "custom")
    .map((tool) => ({ name: tool.name, input: looseSchema(tool.input_schema), ...asProvidersTake(tool) }));
}

type Form = Pick<ClientTool, "description" | "inputSchema" | "originals">;

/** If no object can match the schema, the description states it in words. */
function asProvidersTake({ description, input_schema }: CustomTool): Form {
  const normalized = normalizeToolSchema(input_schema);
  const { schema, originals, conditions } =
    "schema" in normalized
      ? normalized
      : { schema: { type: "object", properties: {} }, originals: {}, conditions: inWords(input_schema) };
  const described = conditions === null ? description : `${description}\n\n${conditions}`;
  return { description: described, inputSchema: schema, originals };
}

const NUMBER_LIMITS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
const LIMITS = [...NUMBER_LIMITS, "minLength", "maxLength", "minItems", "maxItems"];
/** Matches any value, so that the field must be present. */
const PRESENT = {
  anyOf: ["object", "array", "string", "number", "boolean", "null"].map((type) => ({ type })),
};

/**
 * Returns a validator for a part of a client's schema: types, required and unknown fields, values and limits.
 * It is never stricter than the schema. Patterns, references and combinations are ignored, so that the cost
 * is linear in schema and input and no tenant's schema can block the process. The client validates the rest.
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
  // Every object inherits a member of such a name, which would be taken for the field when that is missing.
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
