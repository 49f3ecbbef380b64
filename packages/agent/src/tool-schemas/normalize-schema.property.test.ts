import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { schemaProblems, toolSchema } from "../../test-support/tool-schemas.ts";
import { normalizeToolSchema } from "./normalize-schema.ts";
import { originalInput } from "./original-input.ts";

test("any schema: providers take what it becomes, and inputs in its names come back in those that were given", () => {
  fc.assert(
    fc.property(toolSchema, ({ schema, input }) => {
      const outcome = normalizeToolSchema(schema);
      assert.ok("schema" in outcome, JSON.stringify(outcome));
      assert.deepEqual(schemaProblems(outcome.schema), []);
      const chosen = new Map(Object.entries(outcome.originals).map(([name, original]) => [original, name]));
      const ofModel = input((name) => chosen.get(name) ?? name);
      const expected = input((name) => name);
      assert.deepEqual(originalInput(ofModel, outcome.schema, outcome.originals), expected);
      const again = normalizeToolSchema(outcome.schema);
      assert.deepEqual(again, { schema: outcome.schema, originals: {}, conditions: null });
    }),
    { numRuns: 150 },
  );
});
