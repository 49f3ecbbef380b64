// Subject: the commands that show files of a session's sandbox.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
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

async function worked(command: string, ...more: string[]): Promise<string> {
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
    ...more,
  ];
  const [first = ""] = (await service.done(...run)).split("\n");
  return JSON.parse(first).id;
}

test("sessions ls: a line for each entry, or as many as --limit", { timeout: 600_000 }, async () => {
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

test("sessions cat: the bytes of a file", { timeout: 600_000 }, async () => {
  assert.equal(await service.done("sessions", "cat", session, "out/sub/deep.txt"), "deep\n");
  assert.equal(await service.done("sessions", "cat", session, "out/colours"), "\u001b[31mred\u001b[0m\n");
  assert.equal((await service.run(["sessions", "cat", session, "out/pipe"])).code, 1);
});

test("sessions cp: files and directories, and what is left out is named", { timeout: 600_000 }, async () => {
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
  timeout: 600_000,
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

test("sessions diff --patch: a file that git apply takes, and what is left out is named", {
  timeout: 600_000,
}, async () => {
  const work = "cd /data/shop && echo c >>a.txt && mkdir sub && printf 'no end' >sub/new.txt";
  const made = await worked(`${work} && git add -A && git write-tree`);
  const { data } = await service.json("sessions", "events", "list", made);
  const tree = /[0-9a-f]{40}/.exec(
    JSON.stringify(data.findLast(({ type }: { type: string }) => type === "agent.tool_result")),
  )?.[0];
  assert.equal(await service.done("sessions", "diff", "--patch", "shop.patch", made), "shop.patch\n");
  const patch = await readFile(join(service.dir, "shop.patch"), "utf8");
  assert.equal(await service.done("sessions", "diff", "--patch", "-", made), patch);
  const clone = await mkdtemp(join(dir, "clone-"));
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", clone, ...args], { stdio: ["ignore", "pipe", "inherit"] }).toString();
  git("init", "-q");
  await writeFile(join(clone, "a.txt"), "a\n");
  git("add", "-A");
  git("apply", "--index", join(service.dir, "shop.patch"));
  assert.equal(git("write-tree").trim(), tree);

  const binary = await worked("cd /data/shop && printf 'a\\0b' >data.bin && echo b >>a.txt");
  const left = await service.run([
    "sessions",
    "diff",
    binary,
    "--patch",
    "some.patch",
    "--repository",
    "/data/shop",
  ]);
  assert.deepEqual(
    [left.code, left.stdout, left.stderr],
    [1, "some.patch\n", "left out: data.bin: It is binary, or too large to compare.\n"],
  );
  assert.match(await readFile(join(service.dir, "some.patch"), "utf8"), /^diff --git a\/a\.txt b\/a\.txt\n/);
  for (const [wrong, words] of [
    [["a.txt", "--patch", "x"], /give no path/],
    [["--repository", "/data/shop"], /needs --patch/],
    [["--patch", "x", "--repository", "/data/none"], /no repository '\/data\/none'; it has: \/data\/shop/],
    [["--patch", "x", "--stat"], /cannot be used with/],
  ] as const) {
    const { code, stderr } = await service.run(["sessions", "diff", binary, ...wrong]);
    assert.equal(code, 2);
    assert.match(stderr, words);
  }
});

test("sessions pr: the agent is asked once, its turn is followed, and the address in its answer is printed", {
  timeout: 600_000,
}, async () => {
  const token = join(dir, "token");
  await writeFile(token, host.createToken({ user: "robot", permissions: "write" }));
  const made = await worked(
    "cd /data/shop && echo c >>a.txt && git commit -qam 'Add c' && git checkout -q -b agent/c",
    "--repo-token-file",
    token,
  );
  const address = `${host.url}/acme/shop/pull/7`;
  const push = { tool: "Bash", input: { command: "cd /data/shop && git push -q origin HEAD" } };
  const wish = (...steps: unknown[]) => `Mention issue 1.\n\`\`\`json\n${JSON.stringify({ steps })}\n\`\`\``;
  const asked = await service.run([
    "sessions",
    "pr",
    made,
    "--message",
    wish(push, { say: `It is open:\n${address}` }),
  ]);
  assert.equal(asked.code, 0, asked.stderr);
  assert.match(asked.stdout, /git push/);
  assert.equal(asked.stdout.trimEnd().split("\n").at(-1), address);
  assert.ok(await host.head("acme", "shop", "agent/c"), "the branch was pushed by the session");
  const { data } = await service.json("sessions", "events", "list", made);
  const messages = data.filter(({ type }: { type: string }) => type === "user.message");
  assert.equal(messages.length, 2);
  assert.match(
    messages[1].content[0].text,
    /^Open a pull request with your commits in \/data\/shop\.\n\nThe branch "agent\/c" is checked out\.[\s\S]*\n\nMention issue 1\./,
  );
  const again = ["sessions", "pr", made, "--repository", "/data/shop", "--message"];
  const { url, session_id } = await service.json(...again, wish({ say: address }));
  assert.deepEqual([url, session_id], [address, made]);
  const none = await service.run([...again, wish({ say: "https://elsewhere.example/acme/shop/pull/7" })]);
  assert.deepEqual([none.code, /names no pull request/.test(none.stderr)], [1, true]);

  const status = async (...flags: string[]) =>
    await service.run(["sessions", "pr", made, "--state", ...flags]);
  const unopened = await status();
  assert.deepEqual(
    [unopened.code, unopened.stdout],
    [0, "acme/shop  no pull request of the branch agent/c\n"],
  );
  const project = host.project("acme", "shop");
  const fields = { title: "Add c\u001b[2J", body: "", draft: false, head: "agent/c", base: "main" };
  const pull = project.openPullRequest({ user: "robot" }, { ...fields, headOid: "a".repeat(40) });
  pull.checks = [
    { name: "test", state: "failure", by: "run", url: `${host.url}/acme/shop/runs/1` },
    { name: "lint", state: "success", by: "status" },
  ];
  pull.reviews = [{ author: "ann", state: "changes_requested", at: new Date() }];
  // The host is asked again after five seconds.
  while (!(await status()).stdout.includes(" open "));
  const shown = await status("--repository", "/data/shop");
  assert.equal(
    shown.stdout,
    [
      "acme/shop 1  open into main  Add c [2J",
      `  ${host.url}/acme/shop/pull/1`,
      "  checks   failing, 1 failed, 2 in all",
      `    failed test  ${host.url}/acme/shop/runs/1`,
      "  reviews  changes requested (ann changes requested)",
      "",
    ].join("\n"),
  );
  const other = await status("--repository", "/data/none");
  assert.deepEqual([other.code, /no repository '\/data\/none'/.test(other.stderr)], [2, true]);
  const before = await service.json("sessions", "events", "list", made);
  const open = await service.run(["sessions", "pr", made]);
  assert.deepEqual([open.code, open.stdout], [0, `${host.url}/acme/shop/pull/1\n`]);
  assert.match(open.stderr, /A pull request is open, and has all commits\./);
  const after = await service.json("sessions", "events", "list", made);
  assert.deepEqual(after.data, before.data, "nothing is asked");
  const plain = await worked("true");
  const refused = await service.run(["sessions", "pr", plain]);
  assert.deepEqual([refused.code, /There are no commits/.test(refused.stderr)], [1, true]);
});
