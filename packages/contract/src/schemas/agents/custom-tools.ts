import { z } from "zod";
import { text } from "../../conventions/fields.ts";
import { schemaFault } from "./json-schema.ts";

const largestSchema = 65_536;

/** The JSON Schema of a tool's input, up to 65,536 characters as JSON. */
const inputSchema = z
  .looseObject({ type: z.literal("object") })
  .superRefine((schema, context) => {
    const fault = schemaFault(schema);
    if (fault !== null) context.addIssue({ code: "custom", path: fault.path, message: fault.message });
    else if (JSON.stringify(schema).length > largestSchema) {
      const message = `Field '{field}' must be at most ${largestSchema} characters long as JSON.`;
      context.addIssue({ code: "custom", message });
    }
  })
  .meta({
    description: "A JSON Schema of an object. Calls whose input does not fit are not handed to the client.",
  });

/** A tool that the client runs: the session waits for the result of each call. */
export const customTool = z
  .strictObject({
    type: z.literal("custom"),
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, {
      error: "Field '{field}' must be 1 to 64 letters, digits, '_' and '-'.",
    }),
    description: text(1, 10_000),
    input_schema: inputSchema,
  })
  .meta({ id: "CustomTool" });
export type CustomTool = z.output<typeof customTool>;
