import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuditEntry, Limits, Retention } from "@berth/sdk";
import { readAdministrationSearch } from "./administration-search.ts";
import { actorOf, auditQuery, exportAddress } from "./audit-query.ts";
import { daysTyped, limitsShown, retentionBody, shortened } from "./retention.ts";

test("search parameters: known tabs, texts and days, and nothing else", () => {
  const search = { tab: "audit", q: 12, who: "usr_a", from: "2026-01-31", ended: "yes", create: true, x: 1 };
  assert.deepEqual(readAdministrationSearch(search), {
    ...{ tab: "audit", q: "12", who: "usr_a", from: "2026-01-31", create: true },
  });
  assert.deepEqual(readAdministrationSearch({ tab: "hosts", open: "" }), {});
});

test("audit: a text is an operation or an object, who is a user or a service account, and days are whole", () => {
  const id = "usr_01zzzzzzzzzzzzzzzzzzzzzzzz";
  assert.deepEqual(auditQuery({ q: " agents ", who: "svc_a", from: "2026-01-31", to: "2026-02-01" }), {
    operation: "agents",
    service_account_id: "svc_a",
    "created_at[gte]": "2026-01-31T00:00:00.000Z",
    "created_at[lt]": "2026-02-02T00:00:00.000Z",
  });
  assert.deepEqual(auditQuery({ q: id, who: id, from: "soon" }), { resource: id, user_id: id });
  assert.equal(exportAddress("/export", { operation: "a&b" }, "csv"), "/export?operation=a%26b&format=csv");
});

test("audit: who made a change, also where nobody has a name", () => {
  const entry = (part: Partial<AuditEntry>) =>
    actorOf({ actor: null, actor_id: null, ...part } as AuditEntry);
  assert.deepEqual(
    [
      entry({ actor_type: "user", actor: "ada@example.com" }),
      entry({ actor_type: "user", actor_id: "usr_gone" }),
      entry({ actor_type: "operator", actor: "ops" }),
      entry({ actor_type: "operator" }),
      entry({ actor_type: "service" }),
    ],
    ["ada@example.com", "usr_gone", "The operator (ops)", "The operator", "Berth itself"],
  );
});

const RETENTION = {
  data: [
    { name: "sessions", days: null, from: null },
    { name: "events", days: 30, from: "settings" },
    { name: "files", days: 90, from: "own" },
  ],
} as Retention;

test("retention: only changed days are sent, and only what is kept for less time is asked about", () => {
  const typed = daysTyped(RETENTION);
  assert.deepEqual(typed, { sessions: "", events: "30", files: "90" });
  assert.deepEqual([retentionBody(RETENTION, typed), shortened(RETENTION, typed)], [{}, []]);
  const changed = { sessions: "1", events: "", files: "100" };
  assert.deepEqual(retentionBody(RETENTION, changed), { sessions: 1, events: "none", files: 100 });
  assert.deepEqual(shortened(RETENTION, changed), [
    "sessions without activity for 1 day, with their events and disks",
  ]);
});

test("limits: in the order of the page", () => {
  const data = ["request_burst", "open_sessions"].map((name) => ({ name, value: 1, from: null, used: null }));
  const shown = limitsShown({ data } as Limits);
  assert.deepEqual(
    shown.map(({ name }) => name),
    ["open_sessions", "request_burst"],
  );
});
