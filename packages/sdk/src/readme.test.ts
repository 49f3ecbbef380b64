// The subject is packages/sdk/README.md.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { respond, respondWithError, startWire } from "../test-support/wire.ts";

const examples = [
  ...readFileSync(new URL("../README.md", import.meta.url), "utf8").matchAll(/```ts\n(.*?)```/gs),
];

test("the examples of the README run as printed", async (t) => {
  const wire = await startWire(t, ({ method, path }, response) => {
    if (path.endsWith("/stream")) {
      const said = { type: "agent.message", content: [{ type: "text", text: "Fixed." }] };
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of [said, { type: "session.status_idle" }])
        response.write(`data: ${JSON.stringify(event)}\n\n`);
    } else if (path.endsWith("/sess_gone"))
      respondWithError(response, 404, { type: "not_found_error", message: "It is gone." });
    else if (method === "POST") respond(response, 200, { id: "it_1" });
    else
      respond(response, 200, { data: [{ id: "sess_1", title: "First" }], next_page: null, has_more: false });
  });
  const env = { ...process.env, BERTH_URL: wire.url, BERTH_TOKEN: "berth_pat_test" };
  const outputs = examples.map(async ([, code]) => {
    const args = ["--input-type=module-typescript", "--eval", code ?? ""];
    const cwd = fileURLToPath(new URL("..", import.meta.url));
    return (await promisify(execFile)(process.execPath, args, { env, cwd })).stdout;
  });
  assert.deepEqual(await Promise.all(outputs), [
    "Fixed.\n",
    "1 false\nsess_1 First\n",
    "It is gone. req_1\n",
  ]);
});
