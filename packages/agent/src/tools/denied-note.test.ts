import assert from "node:assert/strict";
import { test } from "node:test";
import { deniedNote } from "./denied-note.ts";

const refused = (host: string) => ({ host, port: null, reason: "not_allowed" as const });

test("denied note: names up to four hosts and counts the others", () => {
  const hosts = ["a", "b", "c", "d", "e", "f"].map((name) => refused(`${name}.example`));
  const told = (count: number) => deniedNote(hosts.slice(0, count)) ?? "";
  assert.equal(
    told(1),
    "The environment's networking forbids a.example, asked for while this ran. Trying again does not help.",
  );
  assert.match(told(2), /forbids a\.example and b\.example, asked/);
  assert.match(told(4), /forbids a\.example, b\.example, c\.example, and d\.example, asked/);
  assert.match(told(6), /forbids a\.example, b\.example, c\.example, d\.example and 2 more, asked/);
  assert.ok((deniedNote([refused("x".repeat(253))]) ?? "").length < 220);
});

test("denied note: has ports and reasons where they help", () => {
  const told = (host: string, port: number | null, reason: "not_allowed" | "private_address") =>
    /forbids (.*), asked/.exec(deniedNote([{ host, port, reason }]) ?? "")?.[1];
  assert.equal(told("a.example", 443, "not_allowed"), "a.example");
  assert.equal(told("a.example", 22, "not_allowed"), "a.example:22");
  assert.equal(told("fd00::1", 8080, "not_allowed"), "[fd00::1]:8080");
  assert.equal(told("db.example", 443, "private_address"), "db.example (a private address)");
});

test("denied note: an unresolvable host is not reported as denied", () => {
  assert.equal(deniedNote([]), null);
  assert.equal(deniedNote([{ host: "gone.example", port: 443, reason: "unresolvable" }]), null);
});
