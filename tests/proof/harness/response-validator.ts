import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { ApiResponse } from "../../acceptance/harness/api.ts";
import type { DescribedOperation, OpenApiDocument } from "./openapi-document.ts";

/**
 * Returns a function that asserts that a response has a documented status and a body that matches its schema.
 */
export function createResponseValidator({
  operations,
  document,
}: OpenApiDocument): (id: string, response: ApiResponse) => void {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "document", components: document.components });
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  const compiled = new Map<string, ReturnType<Ajv2020["compile"]>>();

  function validatorOf(operation: DescribedOperation, status: number) {
    const key = `${operation.id} ${status}`;
    const known = compiled.get(key);
    const schema = operation.responses.get(status);
    if (known !== undefined || schema == null) return known;
    const validator = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')));
    compiled.set(key, validator);
    return validator;
  }

  return (id, response) => {
    const operation = byId.get(id);
    assert.ok(operation !== undefined, id);
    const { status, body, headers } = response;
    assert.ok(
      operation.responses.has(status),
      `${id} returned ${status}: ${JSON.stringify(body).slice(0, 300)}`,
    );
    assert.notEqual(status, 500, `${id}: ${JSON.stringify(body)}`);
    assert.equal(headers.get("x-request-id"), headers.get("request-id"));
    assert.ok(headers.get("x-request-id"));
    const validate = validatorOf(operation, status);
    if (validate !== undefined && !validate(body)) {
      assert.fail(
        `${id} ${status}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body).slice(0, 600)}`,
      );
    }
  };
}
