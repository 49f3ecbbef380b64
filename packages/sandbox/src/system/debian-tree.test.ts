// Subject: the functions of `debian-tree.sh` that choose what a root filesystem is built from.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { shellScript } from "../scripts/read-script.ts";

const FUNCTIONS = shellScript("system/debian-tree.sh");

/** Returns what `debian_sources` chooses for trixie on a machine with these lists in `/etc/apt`. */
async function sourcesOf(
  t: TestContext,
  lists: Record<string, string>,
  { release = "bookworm", mirror = "" } = {},
): Promise<Record<string, string>> {
  const directory = mkdtempSync(join(tmpdir(), "berth-sources-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const [apt, work] = [join(directory, "apt"), join(directory, "work")];
  await Promise.all([mkdir(join(apt, "sources.list.d"), { recursive: true }), mkdir(work)]);
  for (const [name, text] of Object.entries(lists)) writeFileSync(join(apt, name), text);
  const script = `${FUNCTIONS}\ndebian_sources "$@"`;
  const output = execFileSync("sh", ["-eu", "-c", script, "sh", "trixie", work, apt, release], {
    env: { PATH: process.env.PATH, DEBIAN_MIRROR: mirror },
    encoding: "utf8",
  });
  const paths = output.split("\n").filter((path) => path !== "");
  return Object.fromEntries(paths.map((path) => [path.slice(work.length + 1), readFileSync(path, "utf8")]));
}

const LISTS = {
  "sources.list":
    "# deb http://old.example/debian bookworm main\ndeb [arch=amd64] https://mirror.example/debian bookworm main contrib\n",
  "sources.list.d/debian.sources":
    "Types: deb\nURIs: http://mirror.example/debian\nSuites: bookworm bookworm-updates\nComponents: main\n",
  "sources.list.d/login.list": "deb https://user:secret@mirror.example/debian bookworm main\n",
  "sources.list.d/other.list": "deb https://mirror.example/debian sid main\n",
  "sources.list.d/vendor.list": "deb https://vendor.example/tools bookworm main\n",
  "sources.list.d/notes.txt": "deb https://mirror.example/debian bookworm main\n",
};

test("sources: the machine runs another release of Debian → its own mirror, with the release of the recipe", async (t) => {
  assert.deepEqual(await sourcesOf(t, LISTS), {
    "sources.list":
      "# deb http://old.example/debian trixie main\ndeb [arch=amd64] https://mirror.example/debian trixie main contrib\n",
    "debian.sources":
      "Types: deb\nURIs: http://mirror.example/debian\nSuites: trixie trixie-updates\nComponents: main\n",
  });
});

test("sources: no list of Debian, or another system than Debian → none, so that Debian's servers are used", async (t) => {
  assert.deepEqual(await sourcesOf(t, LISTS, { release: "" }), {});
  assert.deepEqual(await sourcesOf(t, {}), {});
});

test("sources: a mirror of the settings → it alone, with updates and security", async (t) => {
  const key = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]";
  assert.deepEqual(await sourcesOf(t, LISTS, { mirror: "https://own.example/debian/" }), {
    "mirror.list": `deb ${key} https://own.example/debian trixie main
deb ${key} https://own.example/debian trixie-updates main
deb ${key} https://own.example/debian-security trixie-security main
`,
  });
});
