import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { editFaults, migrationFaults, numberFaults, takingFaults } from "./check-migrations.ts";

test("migrations: each number is given once, and none is left out", () => {
  assert.deepEqual(numberFaults(["0001-a.sql", "0002-b.sql", "0003-c-4.sql"]), []);
  assert.deepEqual(numberFaults(["0001-a.sql", "0002-b.sql", "0002-c.sql"]), [
    "0002-c.sql: the number should be 0003.",
  ]);
  assert.deepEqual(numberFaults(["0001-a.sql", "0003-b.sql"]), ["0003-b.sql: the number should be 0002."]);
  assert.deepEqual(numberFaults(["0001-a.sql", "2-b.sql"]), ["2-b.sql: migrations are named NNNN-name.sql."]);
});

test("migrations: what takes from releases before says what it requires", () => {
  const taking = [
    "alter table t drop column c;",
    "drop table t;",
    "alter table t rename column a to b;",
    "alter table t alter column c type bigint;",
    "alter table t alter c set not null;",
    "alter table t add column c text not null;",
    "alter table t add column c text default '', add column d int not null;",
  ];
  for (const sql of taking) {
    assert.equal(takingFaults("0002-a.sql", sql).length, 1, sql);
    assert.deepEqual(takingFaults("0002-a.sql", `-- requires: 0001\n${sql}`), []);
  }
  const giving = [
    "create table t (a text not null); -- drop table t",
    "alter table t add column c text, add column d text not null default '';",
    "create index i on t (c) where c is not null;",
  ];
  for (const sql of giving) assert.deepEqual(takingFaults("0002-a.sql", sql), [], sql);
});

test("migrations: those of the newest release may not be edited, and others may be added and edited", (t) => {
  const root = mkdtempSync(join(tmpdir(), "berth-migrations-"));
  t.after(() => rmSync(root, { recursive: true }));
  const directory = "packages/store/src/db/migrations";
  const at = (name: string) => join(root, directory, name);
  const git = (...args: string[]) => {
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "tag.gpgSign=false"];
    execFileSync("git", [...who, ...args], { cwd: root, stdio: "ignore" });
  };
  const commit = () => {
    git("add", ".");
    git("commit", "--no-gpg-sign", "-m", "a");
  };
  const fault = (name: string, tag: string) =>
    `${directory}/${name}: the release ${tag} has it otherwise. A change is a new migration.`;
  mkdirSync(join(root, directory), { recursive: true });
  writeFileSync(at("0001-a.sql"), "select 1;");
  assert.deepEqual(editFaults(root), [], "no repository");
  git("init");
  commit();
  writeFileSync(at("0001-a.sql"), "select 2;");
  assert.deepEqual(editFaults(root), [], "no release");
  commit();
  git("tag", "v0.9.0");
  writeFileSync(at("0002-b.sql"), "select 1;");
  commit();
  writeFileSync(at("0002-b.sql"), "select 2;");
  assert.deepEqual(editFaults(root), [], "only this source has it");
  commit();
  git("tag", "v0.10.0");
  writeFileSync(at("0003-c.sql"), "select 1;");
  writeFileSync(at("0001-a.sql"), "select 3;");
  assert.deepEqual(editFaults(root), [fault("0001-a.sql", "v0.10.0")], "not committed yet");
  commit();
  renameSync(at("0002-b.sql"), at("0002-d.sql"));
  commit();
  assert.deepEqual(editFaults(root), [fault("0001-a.sql", "v0.10.0"), fault("0002-b.sql", "v0.10.0")]);
  rmSync(at("0001-a.sql"));
  assert.deepEqual(editFaults(root), [fault("0001-a.sql", "v0.10.0"), fault("0002-b.sql", "v0.10.0")]);
});

test("this repository's migrations are numbered without gaps", () => {
  assert.deepEqual(migrationFaults(join(import.meta.dirname, "..")), []);
});
