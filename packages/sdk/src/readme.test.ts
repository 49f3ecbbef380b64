// The subject is packages/sdk/README.md.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, promisify } from "node:util";
import { respond, respondWithError, startWire } from "../test-support/wire.ts";

const examples = [
  ...readFileSync(new URL("../README.md", import.meta.url), "utf8").matchAll(/```ts\n(.*?)```/gs),
];

test("the examples of the README run as printed", async (t) => {
  const sent: object[] = [];
  const wire = await startWire(t, ({ method, path, body }, response) => {
    if (path.endsWith("/stream")) {
      const said = { type: "agent.message", content: [{ type: "text", text: "Fixed." }] };
      const waits = path.includes("sess_asks");
      const stop_reason = waits ? { type: "requires_action", event_ids: ["evt_1"] } : { type: "end_turn" };
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of [
        { type: "session.status_running" },
        { type: "agent.tool_output", tool_use_id: "evt_0", offset: 0, text: "1 passed" },
        said,
        { type: "session.status_idle", stop_reason },
      ])
        response.write(`data: ${JSON.stringify(event)}\n\n`);
    } else if (path.endsWith("/content")) response.writeHead(200).end("a report");
    else if (method === "POST" && path.endsWith("/events")) {
      sent.push(JSON.parse(body).events);
      respond(response, 200, { data: [{ id: "evt_2" }] });
    } else if (path.endsWith("/files"))
      respond(response, 200, {
        data: [{ id: "file_1", filename: "report.txt" }],
        next_page: null,
        has_more: false,
      });
    else if (path.endsWith("/sess_gone"))
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
    "1 passed\n",
    "1 false\nsess_1 First\n",
    "Fixed.\n",
    "1 allowed\n",
    "saved report.txt\n",
    "It is gone. req_1\n",
  ]);
  const allowed = [{ type: "user.tool_confirmation", tool_use_id: "evt_1", result: "allow" }];
  assert.ok(
    sent.some((events) => isDeepStrictEqual(events, allowed)),
    JSON.stringify(sent),
  );
});
