// Subject: the routes of vault credentials.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseId } from "@berth/contract";
import { credentialSecret, SecretBox } from "@berth/store/secrets";
import { testApp, type Wire } from "../../../test-support/http.ts";

const secretKey = Buffer.alloc(32, 5);

test("secret: sealed for its row, replaced on update, and deleted on archive", async (t) => {
  const { caller, db } = await testApp(t, { secretKey });
  const owner = await caller();
  const vault = await owner.made("/vaults", { display_name: "keys" });
  const path = `/vaults/${vault.id}/credentials`;
  const { id } = await owner.made(path, {
    auth: { type: "static_bearer", mcp_server_url: "https://mcp.example", token: "canary-first" },
  });
  const stored = async () => {
    const { rows } = await db.read.query<Wire>({ text: "select secret from vault_credentials" });
    return rows[0].secret;
  };
  const open = async () =>
    new SecretBox(secretKey).open(credentialSecret(parseId("vault_credential", id) ?? ""), await stored());
  assert.ok(!(await stored()).includes("canary"));
  assert.equal(await open(), "canary-first");
  await owner.made(`${path}/${id}`, { display_name: "named" });
  assert.equal(await open(), "canary-first");
  await owner.made(`${path}/${id}`, { auth: { type: "static_bearer", token: "canary-second" } });
  assert.equal(await open(), "canary-second");
  await owner.made(`/vaults/${vault.id}/archive`, {});
  assert.equal(await stored(), null);
});

test("vault: given to a session while it is archived or deleted → exactly one side succeeds", async (t) => {
  const { caller } = await testApp(t);
  const owner = await caller();
  const agent = (await owner.made("/agents", { name: "a", model: "rehearsal/steps" })).id;
  const environment_id = (await owner.made("/environments", { name: "e" })).id;
  for (const end of ["delete", "archive"] as const) {
    for (let round = 0; round < 8; round++) {
      const { id } = await owner.made("/vaults", { display_name: "v" });
      const created = owner.post("/sessions", { agent, environment_id, vault_ids: [id] });
      const ended =
        end === "delete" ? owner.delete(`/vaults/${id}`) : owner.post(`/vaults/${id}/archive`, {});
      const [session, vault] = [await created, await ended];
      if (end === "delete") {
        const outcome = [session.status, vault.status].join();
        assert.ok(["200,409", "404,200"].includes(outcome), outcome);
      } else {
        assert.ok([200, 409].includes(session.status), session.text);
        assert.equal(vault.status, 200);
      }
    }
  }
});

test("variables: more bytes than a vault may have → 400 with what is left, and nothing changes", async (t) => {
  const { caller } = await testApp(t, { secretKey });
  const owner = await caller();
  const { id } = await owner.made("/vaults", { display_name: "keys" });
  const path = `/vaults/${id}/credentials`;
  const variable = (name: string, value: string) => ({
    auth: {
      type: "environment_variable",
      secret_name: name,
      secret_value: value,
      networking: { allowed_hosts: ["api.example"] },
    },
  });
  const first = await owner.made(path, variable("A", "a".repeat(32_768)));
  await owner.made(path, variable("B", "é".repeat(16_000)));
  for (const value of ["c".repeat(769), "é".repeat(385), "c".repeat(32_768)]) {
    const refused = await owner.post(path, variable("C", value));
    assert.equal(refused.status, 400);
    assert.equal(refused.body.error.param, "auth.secret_value");
    const bytes = Buffer.byteLength(value);
    assert.match(refused.text, new RegExp(`has ${bytes} bytes, but only 768 of the 65536 bytes .* are left`));
  }
  await owner.made(path, variable("C", "c".repeat(768)));
  const auth = { type: "environment_variable", secret_value: "a".repeat(32_769 - 1) };
  await owner.made(`${path}/${first.id}`, { auth });
  const larger = { type: "environment_variable", secret_value: "é".repeat(16_385) };
  assert.equal((await owner.post(`${path}/${first.id}`, { auth: larger })).status, 400);
  await owner.made(`${path}/${first.id}/archive`, {});
  await owner.made(path, variable("D", "d".repeat(32_768)));
});
