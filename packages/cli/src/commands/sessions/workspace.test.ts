// Subject: the commands that show files of a session's sandbox.
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type GitHost, startGitHost } from "../../../../../tests/git-host/git-host.ts";
import { type Installation, startInstallation } from "../../../test-support/installation.ts";

let dir: string;
let host: GitHost;
let service: Installation;
let session: string;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "git-host-"));
  host = await startGitHost({ dir });
  await host.createRepository({ org: "acme", name: "shop", private: false, files: { "a.txt": "a\n" } });
  service = await startInstallation({
    BERTH_HOSTED_PROVIDERS: JSON.stringify([
      { host: host.host, token_env: ["GH_TOKEN"], ca_file: host.caFile },
    ]),
    BERTH_EGRESS_ALLOW_PRIVATE: host.host,
  });
  session = await worked(
    `cd /data/shop && echo b >>a.txt && git commit -qam 'Add b' && echo new >new.txt && mkdir -p /data/out/sub && cd /data/out && printf 12345 >five &&
     echo deep >sub/deep.txt && ln -s five link && mkfifo pipe && printf 'a\\0b' >binary && printf '\\033[31mred\\033[0m\\n' >colours`,
  );
});
after(async () => {
  await service.stop();
  await host.stop();
  await rm(dir, { recursive: true, force: true });
});

async function worked(command: string): Promise<string> {
  const task = JSON.stringify({ steps: [{ tool: "Bash", input: { command } }] });
  const run = [
    "run",
    task,
    "--model",
    "rehearsal/steps",
    "--repo",
    `${host.url}/acme/shop`,
    "--keep",
    "--json",
  ];
  const [first = ""] = (await service.done(...run)).split("\n");
  return JSON.parse(first).id;
}

test("sessions ls: a line for each entry, or as many as --limit", { timeout: 180_000 }, async () => {
  const lines = (await service.done("sessions", "ls", session, "out")).trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => line.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, "TIME").replaceAll(/ +/g, " ")),
    [
      "-0644 3 B TIME binary",
      "-0644 13 B TIME colours",
      "-0644 5 B TIME five",
      "l0777 TIME link → five",
      "p0644 TIME pipe",
      "d0755 TIME sub/",
    ],
  );
  const { data, has_more } = await service.json("sessions", "ls", session, "/data/out", "--limit", "1");
  assert.deepEqual([data.length, data[0].path, has_more], [1, "/data/out/binary", true]);
  const cut = await service.run(["sessions", "ls", session, "out", "--limit", "2"]);
  assert.match(cut.stderr, /first 2 entries/);
  assert.match(await service.done("sessions", "ls", session), /out\/\n.*shop\/\n/);
  const missing = await service.run(["sessions", "ls", session, "nowhere"]);
  assert.deepEqual([missing.code, /'\/data\/nowhere' does not exist/.test(missing.stderr)], [1, true]);
});

test("sessions cat: the bytes of a file", { timeout: 180_000 }, async () => {
  assert.equal(await service.done("sessions", "cat", session, "out/sub/deep.txt"), "deep\n");
  assert.equal(await service.done("sessions", "cat", session, "out/colours"), "\u001b[31mred\u001b[0m\n");
  assert.equal((await service.run(["sessions", "cat", session, "out/pipe"])).code, 1);
});

test("sessions cp: files and directories, and what is left out is named", { timeout: 180_000 }, async () => {
  assert.equal(await service.done("sessions", "cp", session, "out/five"), "five\n");
  assert.equal(await readFile(join(service.dir, "five"), "utf8"), "12345");
  assert.equal(await service.done("sessions", "cp", session, "out/five", "other"), "other\n");
  const copied = await service.run(["sessions", "cp", session, "out", "there", "--json"]);
  assert.equal(copied.code, 1);
  assert.deepEqual(copied.stderr.split("\n"), [
    "left out: /data/out/link → five",
    "left out: /data/out/pipe (fifo)",
    "",
  ]);
  assert.deepEqual(
    JSON.parse(copied.stdout).data.map(({ to }: { to: string }) => to),
    ["there/binary", "there/colours", "there/five", "there/sub/deep.txt"],
  );
  assert.deepEqual((await readdir(join(service.dir, "there"), { recursive: true })).toSorted(), [
    "binary",
    "colours",
    "five",
    "sub",
    "sub/deep.txt",
  ]);
  const nowhere = await service.run(["sessions", "cp", session, "out/five", "missing/"]);
  assert.deepEqual([nowhere.code, nowhere.stdout], [2, ""]);
  assert.equal((await service.run(["sessions", "cp", session, "out/pipe", "pipe"])).code, 1);
  assert.ok(!(await readdir(service.dir)).some((name) => name.includes("pipe") || name.startsWith(".")));
});

test("sessions diff: of all, of one path, and with --stat the commits and files", {
  timeout: 180_000,
}, async () => {
  const diff = await service.done("sessions", "diff", session);
  assert.match(
    diff,
    /^diff --git a\/a\.txt b\/a\.txt\n[\s\S]*\n\+b\ndiff --git a\/new\.txt b\/new\.txt\n[\s\S]*\n\+new\n$/,
  );
  assert.match(await service.done("sessions", "diff", session, "new.txt"), /^diff --git a\/new\.txt/);
  assert.equal(await service.done("sessions", "diff", session, "none"), "");
  const stat = (await service.done("sessions", "diff", "--stat", session)).trimEnd().split("\n");
  assert.match(stat[1] ?? "", /^ {2}[0-9a-f]{10} {2}local {2}Add b$/);
  assert.deepEqual(
    [stat[0], ...stat.slice(2)],
    ["/data/shop  main", "  M  +1 -0  a.txt", "  A  +1 -0  new.txt"],
  );
  const { data } = await service.json("sessions", "diff", session, "a.txt");
  assert.deepEqual([data.length, data[0].path, data[0].truncated], [1, "a.txt", false]);
  assert.equal((await service.json("sessions", "diff", "--stat", session)).repositories[0].commit_count, 1);
  const broken = await worked("cd /data/shop && rm -rf .git && seq 1 300000 >long.txt");
  const { code, stderr } = await service.run(["sessions", "diff", broken]);
  assert.equal(code, 0);
  assert.match(stderr, /^\/data\/shop was not compared: There is no clone at its mount path\./);
  const long = await worked("cd /data/shop && seq 1 300000 >long.txt");
  assert.match((await service.run(["sessions", "diff", long])).stderr, /^The diff of \/data\/shop is cut/);
});
