import assert from "node:assert/strict";
import { test } from "node:test";
import { serverName, serverUrls } from "./server-urls.ts";

test("a URL with several hosts → a URL for each, with the user, the database and the query", () => {
  for (const [url, urls] of [
    ["postgres://ann@one/berth", ["postgres://ann@one/berth"]],
    [
      "postgresql://ann:a,b%2F@one:5433,two,[::1]:5434/berth?sslmode=verify-full",
      [
        "postgresql://ann:a,b%2F@one:5433/berth?sslmode=verify-full",
        "postgresql://ann:a,b%2F@two/berth?sslmode=verify-full",
        "postgresql://ann:a,b%2F@[::1]:5434/berth?sslmode=verify-full",
      ],
    ],
    ["postgres://one,two?user=a,b", ["postgres://one?user=a,b", "postgres://two?user=a,b"]],
    ["postgres:///berth?host=/run/postgresql", ["postgres:///berth?host=/run/postgresql"]],
  ] as const)
    assert.deepEqual(serverUrls(url), urls);
});

test("the name of a server has its host and port, and no user or password", () => {
  for (const [url, name] of [
    ["postgres://ann:hunter2@one.example:5433/berth", "one.example:5433"],
    ["postgres://one.example/berth", "one.example:5432"],
    ["postgres://[::1]:5434/berth", "[::1]:5434"],
    ["postgres:///berth?host=/run/postgresql&password=hunter2", "/run/postgresql:5432"],
    ["postgres://ann@%2Frun%2Fpostgresql/berth", "/run/postgresql:5432"],
  ] as const)
    assert.equal(serverName(url), name);
});
