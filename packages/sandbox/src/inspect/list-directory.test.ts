import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type FreshEngine, freshEngine, openIn } from "../../test-support/bubblewrap.ts";
import { ok } from "../../test-support/conformance/context.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import { listDirectory, parseEntries } from "./list-directory.ts";

let fresh: FreshEngine;
let sandbox: Sandbox;
before(async () => {
  fresh = await freshEngine("listing");
  sandbox = await openIn(fresh, "listing");
});
after(() => fresh.close());

const list = async (
  path: string,
  { after = null, max = 100 }: { after?: Buffer | null; max?: number } = {},
) => await listDirectory(sandbox, path, { after, max, timeoutMs: 30_000 });

async function names(path: string, limits: { after?: Buffer | null; max?: number } = {}): Promise<string[]> {
  const listed = await list(path, limits);
  assert.ok(listed.ok, JSON.stringify(listed));
  return listed.entries.map(({ name }) => name.toString("latin1"));
}

test("list: each type of entry is named, and no link is followed", async () => {
  await ok(
    sandbox,
    `mkdir -p types/sub && cd types && printf 12345 >a.txt && chmod 640 a.txt && ln -s /etc/passwd link && ln -s missing dead &&
     mkfifo pipe && perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un("socket"))' &&
     touch -d '2001-02-03T04:05:06.5Z' old && chmod 1777 sub`,
  );
  const listed = await list("/data/types");
  assert.ok(listed.ok);
  const seen = listed.entries.map(({ name, type, target }) => [`${name}`, type, `${target}`]);
  assert.deepEqual(seen, [
    ["a.txt", "file", ""],
    ["dead", "symlink", "missing"],
    ["link", "symlink", "/etc/passwd"],
    ["old", "file", ""],
    ["pipe", "fifo", ""],
    ["socket", "socket", ""],
    ["sub", "directory", ""],
  ]);
  const [file, , , old, , , sub] = listed.entries;
  assert.deepEqual([file?.size, file?.mode, sub?.mode], [5, "0640", "1777"]);
  assert.equal(new Date(old?.modified ?? 0).toISOString(), "2001-02-03T04:05:06.500Z");
});

test("list: what is no directory of the path itself → why", async () => {
  await ok(
    sandbox,
    `mkdir -p real/below closed && ln -s real alias && ln -s /dev devices && touch plain && chmod 0 closed`,
  );
  const reasons = {
    "/data/missing": "not_found",
    "/data/plain": "not_a_directory",
    "/data/plain/x": "not_found",
    "/data/alias": "link",
    "/data/alias/below": "link",
    "/data/devices/shm": "link",
    "/data/closed": "permission",
    "/data/closed/x": "permission",
  };
  for (const [path, reason] of Object.entries(reasons)) {
    assert.deepEqual(await list(path), { ok: false, reason }, path);
  }
  assert.deepEqual(await names("/data/real"), ["below"]);
});

test("list: names that a shell, sed or a line would break → whole, and each can be continued after", async () => {
  const strange = [
    "-n",
    "--",
    "*",
    "[a]",
    "a b",
    "a\nb",
    "a\\x41",
    "^a$",
    "a'\"b",
    ".hidden",
    "]",
    "\\",
    "\xff\xfe",
    "ä",
    "&",
    "$(x)",
    "%b",
    "~",
    "a\tb",
  ];
  const bytes = strange.map((name) => Buffer.from(name, name.startsWith("\xff") ? "latin1" : "utf8"));
  const escapes = bytes.map((name) =>
    Array.from(name, (byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join(""),
  );
  await ok(
    sandbox,
    `mkdir strange && cd strange && for name in ${escapes.map((one) => `'${one}'`).join(" ")}; do
    file=$(printf '%b.' "$name"); : >"./\${file%.}"; done`,
  );
  const expected = bytes.toSorted(Buffer.compare).map((name) => name.toString("latin1"));
  assert.deepEqual(await names("/data/strange"), expected);
  for (const [place, name] of expected.entries()) {
    const after = Buffer.from(name, "latin1");
    assert.deepEqual(
      await names("/data/strange", { after }),
      expected.slice(place + 1),
      JSON.stringify(name),
    );
  }
});

test("list: pages of any size, also after a name that is gone", async () => {
  await ok(sandbox, "mkdir many && cd many && seq -f 'n%03g' 0 249 | xargs touch && rm n100");
  assert.deepEqual(await names("/data/many", { max: 3 }), ["n000", "n001", "n002"]);
  assert.deepEqual(await names("/data/many", { max: 2, after: Buffer.from("n099") }), ["n101", "n102"]);
  assert.deepEqual(await names("/data/many", { max: 2, after: Buffer.from("n100") }), ["n101", "n102"]);
  assert.deepEqual(await names("/data/many", { after: Buffer.from("n249") }), []);
  assert.deepEqual(await names("/data/many", { max: 1, after: Buffer.from("A") }), ["n000"]);
});

test("list: a mount point and an empty directory", async () => {
  await ok(sandbox, "mkdir empty");
  assert.deepEqual(await names("/data/empty"), []);
  assert.ok((await names("/data")).includes("empty"));
});

test("list: output that was tampered with → none", () => {
  const whole = "f\x00644\x005\x001.5\0a\0\0";
  assert.equal(parseEntries(Buffer.from(`${whole}end`))?.length, 1);
  for (const text of [
    whole,
    `${whole}f\0end`,
    "end\0",
    `f\x00999\x005\x001.5\0a\0\0end`,
    "",
    `x${whole}end\0`,
  ]) {
    assert.equal(parseEntries(Buffer.from(text)), null, JSON.stringify(text));
  }
});
