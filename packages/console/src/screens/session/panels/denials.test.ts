import assert from "node:assert/strict";
import { test } from "node:test";
import { LogWriter } from "../../../../test-support/events.ts";
import { reduce } from "../log/reduce.ts";
import { EMPTY_VIEW } from "../log/view.ts";
import { allowedHostFor, type Denial, denialsIn, isAllowed } from "./denials.ts";

const denial = (host: string, port: number | null, reason = "not_allowed"): Denial => ({
  host,
  port,
  reason,
  count: 1,
  last: "",
});

test("each destination is listed once with its count, the newest first", () => {
  const log = new LogWriter();
  for (const host of ["a.example", "b.example", "a.example"])
    log.add("session.egress_denied", { host, port: 443, reason: "not_allowed" });
  assert.deepEqual(
    denialsIn(reduce(EMPTY_VIEW, log.events)).map(({ host, count }) => [host, count]),
    [
      ["a.example", 2],
      ["b.example", 1],
    ],
  );
});

test("what can be allowed is named as an environment names it", () => {
  assert.equal(allowedHostFor(denial("a.example", 443)), "a.example");
  assert.equal(allowedHostFor(denial("a.example", null)), "a.example");
  assert.equal(allowedHostFor(denial("a.example", 8443)), "a.example:8443");
  for (const no of [denial("10.0.0.1", 443), denial("::1", 80), denial("a.example", 443, "private_address")])
    assert.equal(allowedHostFor(no), null);
});

test("a host is allowed by its name or by one that covers it", () => {
  assert.ok(
    isAllowed(["a.example", "*.b.example"], "a.example") && isAllowed(["*.b.example"], "x.b.example"),
  );
  assert.ok(!isAllowed(["*.b.example"], "b.example") && !isAllowed([], "a.example"));
});
