import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { isTokenSecret, newTokenSecret } from "@berth/store/access";
import fc from "fast-check";
import { type TestApp, testApp } from "../../test-support/http.ts";

const path = "/api/v1/cloud/agents";

async function asked({ app }: TestApp, headers: Record<string, string>) {
  const response = await app.fastify.inject({ method: "GET", url: path, headers });
  const { type, message } = response.statusCode === 200 ? { type: "", message: "" } : response.json().error;
  return { status: response.statusCode, type, message };
}

/** Returns a counter of the token queries. */
function countLookups({ app }: TestApp): () => number {
  const { read } = app.db;
  const query = read.query.bind(read);
  let count = 0;
  read.query = (statement) => {
    if (statement.name === "find_token") count += 1;
    return query(statement);
  };
  return () => count;
}

async function messageOf(t: TestContext, sql: string): Promise<string> {
  const app = await testApp(t);
  const { token } = await app.caller();
  await app.db.write.query({ text: sql });
  const { status, type, message } = await asked(app, { authorization: `Bearer ${token}` });
  assert.deepEqual([status, type], [401, "authentication_error"]);
  return message;
}

describe("authenticate", () => {
  test("bearer token: any case of the scheme → accepted", async (t) => {
    const app = await testApp(t);
    for (const kind of ["pat", "sat"] as const) {
      const { token } = await app.caller({ kind });
      for (const scheme of ["Bearer", "bearer", "BEARER "]) {
        assert.equal((await asked(app, { authorization: `${scheme} ${token}` })).status, 200);
      }
    }
  });

  test("each fault has its own message, and a malformed token costs no query", async (t) => {
    const app = await testApp(t);
    const lookups = countLookups(app);
    const good = newTokenSecret("pat");
    const faults = [
      {},
      { "x-api-key": good },
      { authorization: `Basic ${good}` },
      { authorization: "Bearer" },
    ];
    const messages = new Set<string>();
    for (const headers of faults) {
      const { status, type, message } = await asked(app, headers);
      assert.deepEqual([status, type], [401, "authentication_error"]);
      messages.add(message);
    }
    const altered = `${good.slice(0, 20)}${good[20] === "A" ? "B" : "A"}${good.slice(21)}`;
    for (const token of [
      altered,
      good.slice(0, -1),
      `${good}0`,
      `${good} x`,
      good.replace("pat", "sat").replace("berth", "birth"),
    ]) {
      assert.equal(
        (await asked(app, { authorization: `Bearer ${token}` })).message,
        "The token is malformed.",
      );
    }
    assert.equal(lookups(), 0);
    messages.add((await asked(app, { authorization: `Bearer ${good}` })).message);
    assert.equal(lookups(), 1);
    assert.equal(messages.size, 5, [...messages].join(" | "));
  });

  test("expired, revoked and disabled tokens have different messages", async (t) => {
    const messages = [
      await messageOf(t, "update tokens set expires_at = now()"),
      await messageOf(t, "update tokens set revoked_at = now()"),
      await messageOf(t, "update users set disabled_at = now()"),
    ];
    assert.deepEqual(messages, [
      "The token has expired.",
      "The token was revoked.",
      "The user of this token is disabled.",
    ]);
  });

  test("a disabled service account → 401", async (t) => {
    const app = await testApp(t);
    const { token } = await app.caller({ kind: "sat" });
    await app.db.write.query({ text: "update service_accounts set disabled_at = now()" });
    assert.equal(
      (await asked(app, { authorization: `Bearer ${token}` })).message,
      "The service account of this token is disabled.",
    );
  });

  test("last_used_at is updated at most once a minute", async (t) => {
    const app = await testApp(t);
    const { token } = await app.caller();
    const lastUse = async () => {
      const text = "select last_used_at from tokens";
      return (
        (
          await app.db.write.query<{ last_used_at: Date | null }>({ text })
        ).rows[0]?.last_used_at?.getTime() ?? null
      );
    };
    const noted = async (before: number | null) => {
      for (;;) {
        const now = await lastUse();
        if (now !== before) return now;
        await asked(app, { authorization: `Bearer ${token}` });
      }
    };
    await asked(app, { authorization: `Bearer ${token}` });
    const first = await noted(null);
    await asked(app, { authorization: `Bearer ${token}` });
    assert.equal(await lastUse(), first);
    await app.db.write.query({ text: "update tokens set last_used_at = now() - interval '61 seconds'" });
    const before = await lastUse();
    await asked(app, { authorization: `Bearer ${token}` });
    assert.ok(((await noted(before)) ?? 0) >= (first ?? 0));
  });

  test("scopes: write does not imply read, and the message names the missing scope", async (t) => {
    const { caller } = await testApp(t);
    const writer = await caller({ scopes: ["environments:write"] });
    assert.equal((await writer.post("/environments", { name: "e" })).status, 200);
    const refused = await writer.get("/environments");
    assert.deepEqual([refused.status, refused.body.error.type], [403, "permission_error"]);
    assert.match(refused.body.error.message, /environments:read/);
  });
});

test("checksum: a mistyped token → recognized", () => {
  const token = fc.constantFrom("pat", "sat").map((kind) => newTokenSecret(kind as "pat" | "sat"));
  fc.assert(
    fc.property(token, fc.nat(45), fc.constantFrom(..."0AzZ9"), (secret, at, letter) => {
      assert.ok(isTokenSecret(secret));
      const place = 10 + at;
      const typo = secret.slice(0, place) + letter + secret.slice(place + 1);
      assert.equal(isTokenSecret(typo), typo === secret);
    }),
  );
});
