// Subject: additions to an organization, and its settings, around its erasure.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { newUuid, operations } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { requestErasure } from "../deletion/erasure-store.ts";
import { signInWithAccount } from "../features/console/oidc/sign-in-with-account.ts";
import { createTokenFor } from "../features/tokens/create-token-for.ts";
import { changeLimits } from "./limit-store.ts";
import { createOrganization, organizationId } from "./organization-store.ts";
import { changeRetention } from "./retention-store.ts";
import { createServiceAccount, setServiceAccountDisabled } from "./service-account-store.ts";
import { createUser, setUserDisabled } from "./user-store.ts";

const ada = { email: "ada@example.com", role: "member" as const };

type Change = (tx: Queryable, organization: string) => Promise<unknown>;

/** Additions to an organization by somebody who read it just before. */
const ADDITIONS: Readonly<Record<string, Change>> = {
  user: (tx, organization_id) => createUser(tx, { ...ada, organization_id }),
  "service account": (tx, organization_id) => createServiceAccount(tx, { organization_id, name: "ci" }),
};
const SETTINGS: typeof ADDITIONS = {
  limit: (tx, organization) => changeLimits(tx, { organization }, new Map([["open_sessions", 1]])),
  retention: (tx, organization) => changeRetention(tx, organization, new Map([["files", 1]])),
};

async function acme(t: TestContext) {
  const db = await testDatabase(t);
  const organization = (await createOrganization(db.write, { name: "acme" })).id;
  const id = await organizationId(db.read, organization);
  const erase = (tx: Queryable) =>
    requestErasure(tx, { id: newUuid(), subject_type: "organization", subject_id: id, organization_id: id });
  return { db, erase, organization };
}

const WAIT_MS = 20_000;

/** Resolves once a transaction waits for a lock. */
async function someoneWaits({ read }: TestDatabase): Promise<void> {
  const text = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  const deadline = performance.now() + WAIT_MS;
  while ((await read.query({ text })).rowCount === 0)
    assert.ok(performance.now() < deadline, "nobody waits for this transaction");
}

for (const [what, add] of Object.entries(ADDITIONS)) {
  test(`a ${what} is added while the erasure is asked for → the erasure covers it; afterwards it is refused`, async (t) => {
    const { db, erase, organization } = await acme(t);
    const added = Promise.withResolvers<void>();
    const adding = db.transaction(async (tx) => {
      await add(tx, organization);
      added.resolve();
      await someoneWaits(db);
    });
    await added.promise;
    await Promise.all([adding, db.transaction(erase)]);
    const text =
      "select from users where disabled_at is null union all select from service_accounts where disabled_at is null";
    assert.equal((await db.read.query({ text })).rowCount, 0);
    await assert.rejects(
      db.transaction((tx) => add(tx, organization)),
      /'org_\w+' is being erased, so nobody can be added to it\.$/,
    );
  });
}

for (const [what, change] of Object.entries({ ...ADDITIONS, ...SETTINGS })) {
  test(`a ${what} comes while the last of the organization is deleted → it is not there`, async (t) => {
    const { db, organization } = await acme(t);
    const deleted = Promise.withResolvers<void>();
    const deleting = db.transaction(async (tx) => {
      await tx.query({ text: "delete from organizations" });
      deleted.resolve();
      await someoneWaits(db);
    });
    await deleted.promise;
    await assert.rejects(
      db.transaction((tx) => change(tx, organization)),
      { type: "not_found_error" },
    );
    await deleting;
  });
}

test("a user is enabled while the erasure is asked for → disabled by it; afterwards nobody is enabled, gets a token or signs in", async (t) => {
  const { db, erase, organization } = await acme(t);
  const { id } = await createUser(db.write, { ...ada, organization_id: organization });
  await setUserDisabled(db.write, id, true);
  const account = await createServiceAccount(db.write, { name: "bot", organization_id: organization });
  const enabled = Promise.withResolvers<void>();
  const enabling = db.transaction(async (tx) => {
    await setUserDisabled(tx, id, false);
    enabled.resolve();
    await someoneWaits(db);
  });
  await enabled.promise;
  await Promise.all([enabling, db.transaction(erase)]);
  assert.equal((await db.read.query({ text: "select from users where disabled_at is null" })).rowCount, 0);
  await assert.rejects(setUserDisabled(db.write, id, false), {
    message: `The user '${id}' is being erased, so it cannot be enabled.`,
  });
  await assert.rejects(setServiceAccountDisabled(db.write, account.id, false), {
    message: "The organization 'acme' is being erased, so 'bot' cannot be enabled.",
  });
  const token = createTokenFor(db.write, { email: "new@example.com", org: "acme" });
  await assert.rejects(token, { message: "The organization 'acme' is being erased." });
  const theirs = { issuer: "https://login.example", subject: "new", email: "new@example.com" };
  const scope = {
    operation: operations.consoleLinks.create,
    requestId: newUuid(),
    client: "127.0.0.1",
    userAgent: null,
  };
  const signIn = db.transaction((tx) =>
    signInWithAccount(tx, scope, { ...theirs, membership: { ...ada, organization: "acme" } }),
  );
  await assert.rejects(signIn, { message: "The user of this token is disabled." });
});
