import { z } from "zod";
import { text } from "../../conventions/fields.ts";
import { jsonSchemaError } from "./json-schema.ts";

/** Maximum characters of a schema as JSON. */
const MAX_SCHEMA_LENGTH = 65_536;

const inputSchema = z
  .looseObject({ type: z.literal("object") })
  .superRefine((schema, context) => {
    const error = jsonSchemaError(schema);
    if (error !== null) context.addIssue({ code: "custom", path: error.path, message: error.message });
    else if (JSON.stringify(schema).length > MAX_SCHEMA_LENGTH) {
      const message = `Field '{field}' must be at most ${MAX_SCHEMA_LENGTH} characters long as JSON.`;
      context.addIssue({ code: "custom", message });
    }
  })
  .meta({
    description:
      "The JSON Schema of the input, which is an object. The agent stores it unchanged; where providers reject it (combinations such as `anyOf` at its top, names of properties with other characters than letters, digits, `_`, `.` and `-`), the model gets it in a form that they take, and calls reach the client with the names of this schema. Calls whose input does not fit these keywords do not reach the client: `type`, `properties`, `required`, `additionalProperties: false`, `enum`, `const`, `items`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `minLength`, `maxLength`, `minItems`, `maxItems`, and `anyOf` without a `type`. All other keywords, such as `pattern` and `$ref`, are for the model: the client checks them.",
  });

/** A tool that the client runs. The session waits for the result of each call. */
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
