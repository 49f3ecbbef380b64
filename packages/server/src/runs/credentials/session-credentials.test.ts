import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "@berth/contract";
import { testDatabase } from "../../../test-support/database.ts";
import { seed, seedSession } from "../../../test-support/runs.ts";
import { bash, idles, installation, steps } from "../../../test-support/worker.ts";
import { resourceSecret } from "../../secrets/sealed-columns.ts";
import { SecretBox } from "../../secrets/secret-box.ts";

test("mask: two sessions' tools print both sessions' secrets → each result is masked of its own secret alone", async (t) => {
  const db = await testDatabase(t);
  const own = await installation(t, db);
  const from = await seed(db.write);
  const secrets = new SecretBox(Buffer.alloc(32));
  const open = own.engine.open;
  own.engine.open = async (spec) => {
    const sandbox = await open(spec);
    const run: typeof sandbox.run = async (command) => {
      const result = await sandbox.run(command);
      const isAsked = command.script.includes("print");
      return isAsked ? { ...result, output: Buffer.from("function import return\n") } : result;
    };
    return { ...sandbox, run };
  };
  await own.worker({ secrets });
  const told: string[] = [];
  for (const word of ["function", "import"]) {
    const sessionId = await seedSession(db.write, from);
    const id = newUuid();
    await db.write.query({
      text: `insert into session_resources (id, session_id, type, mount_path, url, secret)
        values ($1, $2, 'hosted_repository', '/workspace/a', 'https://github.com/a/a', $3)`,
      values: [id, sessionId, secrets.seal(resourceSecret(id), word)],
    });
    await own.send(sessionId, steps(bash("print"), { say: "Done." }));
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    for (const { event } of log) {
      const [block] = event.type === "agent.tool_result" ? (event.content ?? []) : [];
      if (block?.type === "text") told.push(block.text.trim());
    }
  }
  assert.deepEqual(told, ["[redacted] import return", "function [redacted] return"]);
});
