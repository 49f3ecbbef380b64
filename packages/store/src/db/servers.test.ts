import assert from "node:assert/strict";
import { test } from "node:test";
import { clientConfig } from "./connection.ts";
import { DatabaseUnavailableError } from "./database-error.ts";

const REFUSED = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
const STANDBY = Object.assign(new Error("two:5432 accepts no writes: it is a standby"), { code: "25006" });

function two() {
  return clientConfig({ url: "postgres://ann:hunter2@one,two/berth" }).servers;
}

test("servers: each failure goes on to the next one, once for all connections that failed there", () => {
  const servers = two();
  const first = servers.current;
  servers.failed(first, REFUSED);
  servers.failed(first, REFUSED);
  const second = servers.current;
  assert.deepEqual([first.name, second.name], ["one:5432", "two:5432"]);
  servers.accepted(second);
  servers.failed(first, REFUSED);
  assert.equal(servers.current, second);
  servers.failed(second, REFUSED);
  assert.equal(servers.current, first);
});

test("servers: of several the last error names each that failed, without the password", () => {
  const servers = two();
  servers.failed(servers.current, REFUSED);
  servers.failed(servers.current, STANDBY);
  const fault = servers.fault(STANDBY);
  assert.ok(fault instanceof DatabaseUnavailableError);
  assert.equal(
    fault.message,
    "The database is not available: none of its servers accepts writes (one:5432: connect ECONNREFUSED; two:5432 accepts no writes: it is a standby)",
  );
});

test("servers: a refused password is not tried elsewhere, and its error is what is said", () => {
  const refused = Object.assign(new Error('password authentication failed for user "ann"'), {
    code: "28P01",
  });
  const servers = two();
  servers.failed(servers.current, refused);
  assert.equal(servers.isWorthRetrying(refused), false);
  assert.match((servers.fault(refused) as Error).message, /^The database refuses this service: password/);
  assert.equal(servers.isWorthRetrying(new Error("timeout expired")), true);
  assert.equal(
    clientConfig({ url: "postgres://one/berth" }).servers.isWorthRetrying(new Error("timeout expired")),
    false,
  );
});
