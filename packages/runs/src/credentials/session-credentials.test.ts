import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { newUuid } from "@berth/contract";
import { credentialSecret, resourceSecret, SecretBox } from "@berth/store/secrets";
import { testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { bash, idles, installation, steps } from "../../test-support/worker.ts";

/** Makes each command whose script contains "print" print the text. */
function printing(own: Awaited<ReturnType<typeof installation>>, text: string): void {
  const open = own.engine.open;
  own.engine.open = async (spec) => {
    const sandbox = await open(spec);
    const run: typeof sandbox.run = async (command) => {
      const result = await sandbox.run(command);
      return command.script.includes("print") ? { ...result, output: Buffer.from(text) } : result;
    };
    return { ...sandbox, run };
  };
}

test("mask: two sessions' tools print both sessions' secrets → each result is masked of its own secret alone", async (t) => {
  const db = await testDatabase(t);
  const own = await installation(t, db);
  const from = await seed(db.write);
  const secrets = new SecretBox(Buffer.alloc(32));
  printing(own, "function import return\n");
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

/** Returns the output of commands in a session with a variable of a vault and a repository. */
async function maskedOutput(
  t: TestContext,
  held: string,
  unknown: readonly string[],
  printed: string,
): Promise<string> {
  const db = await testDatabase(t);
  const own = await installation(t, db);
  const from = await seed(db.write);
  const secrets = new SecretBox(Buffer.alloc(32));
  printing(own, printed);
  await own.worker({ secrets });
  const sessionId = await seedSession(db.write, from);
  const [resource, vault] = [newUuid(), newUuid()];
  await db.write.query({
    text: `insert into session_resources (id, session_id, type, mount_path, url, secret)
      values ($1, $2, 'hosted_repository', '/workspace/a', 'https://github.com/a/a', $3)`,
    values: [resource, sessionId, secrets.seal(resourceSecret(resource), held)],
  });
  await db.write.query({
    text: `insert into vaults (id, organization_id, owner_type, owner_id, display_name)
      select $1, organization_id, 'user', owner_id, 'v' from sessions where id = $2`,
    values: [vault, sessionId],
  });
  for (const [index, value] of unknown.entries()) {
    const id = newUuid();
    await db.write.query({
      text: `insert into vault_credentials (id, vault_id, type, target, allowed_hosts, metadata, secret)
        values ($1, $2, 'environment_variable', $3, '{api.example}', '{}', $4)`,
      values: [id, vault, `KEY_${index}`, secrets.seal(credentialSecret(id), value)],
    });
  }
  await db.write.query({
    text: "update sessions set vault_ids = $2 where id = $1",
    values: [sessionId, [vault]],
  });
  await own.send(sessionId, steps(bash("print"), { say: printed }));
  const log = await own.until(sessionId, (entries) => idles(entries) === 1);
  const texts = log.flatMap(({ event }) =>
    event.type === "agent.tool_result" || event.type === "agent.message" ? event.content : [],
  );
  const [result = "", said = ""] = texts.map((block) => (block.type === "text" ? block.text.trim() : ""));
  assert.equal(said, result, "what the agent says is masked as what its commands print");
  return result;
}

test("mask: values that commands never have and that can be guessed → shown as they are, all others masked", async (t) => {
  const strong = "vault-Zk3canaryQ9wLxV7mR2tYpE8";
  const unknown = ["84620193", "4111-1111-1111-1111", "hunter2", strong];
  const shown = await maskedOutput(t, "winter24", unknown, `${unknown.join(" ")} winter24 84620194`);
  assert.equal(shown, "84620193 4111-1111-1111-1111 hunter2 [redacted] [redacted] 84620194");
});

test("mask: the known beginning of a long value that commands never have → shown, so that its rest cannot be tried", async (t) => {
  const certificate = Array.from({ length: 40 }, (_, index) => `cert${index * 7919}`).join("\n");
  const key = Array.from({ length: 20 }, (_, index) => `key${index * 104_729}`).join("\n");
  const printed = `${certificate}\nkey0 |${certificate}\n${key}`;
  const shown = await maskedOutput(t, "winter24", [`${certificate}\n${key}`], printed);
  assert.equal(shown, `${certificate}\nkey0 |[redacted]`);
});
