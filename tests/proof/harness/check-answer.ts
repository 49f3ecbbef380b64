import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { ApiResponse } from "../../acceptance/harness/api.ts";
import type { Described, DescribedOperation } from "./document.ts";

/** Holds an answer to what the document says of its operation: the status is documented, and the body fits its schema. */
export function answerChecker({
  operations,
  document,
}: Described): (id: string, answer: ApiResponse) => void {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "document", components: document.components });
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  const compiled = new Map<string, ReturnType<Ajv2020["compile"]>>();

  function validatorOf(operation: DescribedOperation, status: number) {
    const key = `${operation.id} ${status}`;
    const known = compiled.get(key);
    const schema = operation.answers.get(status);
    if (known !== undefined || schema == null) return known;
    const validator = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')));
    compiled.set(key, validator);
    return validator;
  }

  return (id, answer) => {
    const operation = byId.get(id);
    assert.ok(operation !== undefined, id);
    const { status, body, headers } = answer;
    assert.ok(
      operation.answers.has(status),
      `${id} answered ${status}: ${JSON.stringify(body).slice(0, 300)}`,
    );
    assert.notEqual(status, 500, `${id}: ${JSON.stringify(body)}`);
    assert.equal(headers.get("x-request-id"), headers.get("request-id"));
    assert.ok(headers.get("x-request-id"));
    const fits = validatorOf(operation, status);
    if (fits !== undefined && !fits(body)) {
      assert.fail(`${id} ${status}: ${ajv.errorsText(fits.errors)}\n${JSON.stringify(body).slice(0, 600)}`);
    }
  };
}
