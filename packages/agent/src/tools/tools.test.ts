// Subject: the six built-in tools, each in a real sandbox.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Sandbox } from "@berth/sandbox";
import { bash, glob, grep, read } from "../../test-support/built-in-tools.ts";
import { openRealSandbox, type RealSandbox } from "../../test-support/real-sandbox.ts";
import { edit } from "./edit.ts";
import { write } from "./write.ts";

let box: RealSandbox;
before(async () => {
  box = await openRealSandbox();
});
after(() => box.close());

async function ok(...given: Parameters<RealSandbox["use"]>): Promise<string> {
  const { text, isError } = await box.use(...given);
  assert.equal(isError, false, text);
  return text;
}

async function failing(...given: Parameters<RealSandbox["use"]>): Promise<string> {
  const { text, isError } = await box.use(...given);
  assert.equal(isError, true, text);
  return text;
}

test("Bash: starts in /data and keeps directory, variables and functions", async () => {
  assert.equal(await ok(bash, { command: "pwd" }), "/data");
  await ok(bash, { command: "mkdir -p place && cd place && A=1 && f() { echo function; }" });
  assert.equal(await ok(bash, { command: "echo $A; f" }), "1\nfunction\n[working directory /data/place]");
  assert.match(await ok(bash, { restart: true }), /restarted/);
  assert.equal(await ok(bash, { command: 'pwd; test -z "$A" && echo gone', restart: true }), "/data\ngone");
});

test("Bash: the session's variables are current at each call", async () => {
  assert.equal(await ok(bash, { command: "echo $GREETING" }), "hello");
  const environment = async () => ({ GREETING: "good evening" });
  assert.equal(await ok(bash, { command: "echo $GREETING" }, { environment }), "good evening");
});

test("Bash: stdout and stderr are merged; a non-zero exit code → an error with the code", async () => {
  assert.equal(await ok(bash, { command: "echo out; echo err >&2" }), "out\nerr");
  assert.equal(await ok(bash, { command: "true" }), "(no output)");
  assert.equal(await failing(bash, { command: "echo half; (exit 3)" }), "half\n[exit code 3]");
  assert.match(await failing(bash, { command: "exit 4" }), /\[exit code 4\]/);
});

test("Bash: timeout → the command is stopped with a note, and the directory is kept", async () => {
  const text = await failing(bash, { command: "cd /tmp; echo begun; sleep 60", timeout: 3_500 });
  assert.match(text, /^begun\n\[Stopped: it took longer than 3\.5 s\./);
  assert.match(await ok(bash, { command: "pwd" }), /./);
  await ok(bash, { restart: true });
});

test("Bash: abort → the command ends at once", async () => {
  const stop = new AbortController();
  const run: Sandbox["run"] = (command) => box.sandbox.run({ ...command, onOutput: () => stop.abort() });
  const sandbox = async () => ({ ...box.sandbox, run });
  const { text, isError } = await box.use(
    bash,
    { command: "echo begun; sleep 60" },
    { sandbox, signal: stop.signal },
  );
  assert.equal(isError, true);
  assert.match(text, /^begun\n\[interrupted/);
  await ok(bash, { restart: true });
});

test("Bash: long output → truncated in the middle, and stored in a file in full", async () => {
  const text = await ok(bash, { command: "seq 1 60000" });
  assert.ok(text.length < 10_240 + 200);
  assert.match(text, /^1\n2\n/);
  assert.match(text, /\n60000\n/);
  const [, last, next] = /\n(\d+)\n\[…\]\n(\d+)\n/.exec(text) ?? [];
  assert.ok(Number(last) > 1_000 && Number(next) < 59_500, "the place of the cut is marked");
  const [, path = "", size] = /output is kept in (\S+), (\d+) bytes\]/.exec(text) ?? [];
  assert.equal(await ok(bash, { command: `wc -c <${path}` }), size);
  assert.equal(await ok(bash, { command: `tail -n 1 ${path}; wc -l <${path}` }), "60000\n60000");
});

test("Bash: the place of the cut in lines that are longer than the head", async () => {
  const line = "head -c 30000 /dev/zero | tr '\\0' x";
  const text = await ok(bash, { command: line });
  assert.match(
    text,
    /^x{5120}\n\[…\]\nx{5120}\n\[19760 bytes left out of the middle; the output is kept in /,
  );
  const late = await ok(bash, { command: `echo first; ${line}; echo; echo last` });
  assert.match(late, /^first\n\[…\]\nlast\n\[\d+ bytes left out of the middle/);
});

test("Write: creates directories, reports created or overwritten, keeps the mode", async () => {
  assert.equal(
    await ok(write, { file_path: "w/a b/'x'.sh", content: "one\n" }),
    "Created /data/w/a b/'x'.sh (4 bytes).",
  );
  await box.sh(`chmod 750 "/data/w/a b/'x'.sh"`);
  assert.match(
    await ok(write, { file_path: "/data/w/a b/'x'.sh", content: "é" }),
    /^Overwrote .* \(2 bytes\)/,
  );
  assert.equal(await box.sh(`cat "/data/w/a b/'x'.sh"; stat -c %a "/data/w/a b/'x'.sh"`), "é750\n");
  assert.equal(await box.sh("ls -A '/data/w/a b'"), "'x'.sh\n", "no temporary file is left");
  assert.match(await failing(write, { file_path: "/data/w", content: "" }), /is a directory/);
  assert.match(
    await failing(write, { file_path: "/usr/x", content: "" }),
    /no file can be made in the directory \/usr\./,
  );
  await box.sh("ln -s real /data/w/link");
  await ok(write, { file_path: "/data/w/link", content: "through" });
  assert.equal(await box.sh("cat /data/w/real; readlink /data/w/link"), "throughreal\n");
  const large = "0123456789abcdef\n".repeat(200_000);
  await ok(write, { file_path: "/data/w/large", content: large });
  assert.equal(await box.sh("wc -c </data/w/large"), `${large.length}\n`);
});

test("Read: numbered lines, both kinds of ranges, and the number of remaining lines", async () => {
  await box.sh(
    "mkdir -p /data/r; seq 1 2500 >/data/r/many; printf 'a\\r\\nb\\r\\n' >/data/r/dos; : >/data/r/empty",
  );
  const whole = await ok(read, { file_path: "r/many" });
  assert.match(whole, /^1\t1\n2\t2\n/);
  assert.match(whole, /\n2000\t2000\n\[Lines 1 to 2000 of 2500\. Use offset to read on\.\]$/);
  assert.equal(await ok(read, { file_path: "r/many", offset: 2499, limit: 5 }), "2499\t2499\n2500\t2500");
  assert.equal(await ok(read, { file_path: "r/many", view_range: [2500, -1] }), "2500\t2500");
  assert.match(await ok(read, { file_path: "r/many", view_range: [3, 4] }), /^3\t3\n4\t4\n\[/);
  assert.match(await failing(read, { file_path: "r/many", offset: 2501 }), /has 2500 lines/);
  for (const range of [[0, 3], [4, 3], [3], [1, 2, 3], [1, -2]])
    assert.equal(read.input.safeParse({ file_path: "r/many", view_range: range }).success, false);
  assert.equal(await ok(read, { file_path: "r/dos" }), "1\ta\n2\tb\n[Lines end in CR LF.]");
  assert.equal(await ok(read, { file_path: "r/empty" }), "(The file is empty.)");
});

test("Read: a large file needs a range; long lines are truncated", async () => {
  await box.sh("seq 1 100000 >/data/r-large; head -c 5000 /dev/zero | tr '\\0' x >/data/r-long");
  assert.match(await failing(read, { file_path: "/data/r-large" }), /588895 bytes.*offset and limit/);
  assert.equal(
    await ok(read, { file_path: "/data/r-large", offset: 99_999, limit: 9 }),
    "99999\t99999\n100000\t100000",
  );
  assert.match(await failing(read, { file_path: "/data/r-large", offset: 100_001 }), /beyond the end/);
  const part = await ok(read, { file_path: "/data/r-large", offset: 1, limit: 90_000 });
  const [, last = ""] = /\[Cut after line (\d+), at 24 KiB\. Use offset to read on\.\]$/.exec(part) ?? [];
  assert.match(part, new RegExp(`\\n${last}\\t${last}\\n\\[Cut`));
  const long = await ok(read, { file_path: "/data/r-long" });
  assert.match(
    long,
    /x{2000} \[… 3000 more characters\]\n\[Long lines are cut\. .* sed -n 1p FILE \| cut -c 2001-\]$/,
  );
});

test("Read: of a large file, too, a note tells that lines follow, and which call gets them", async () => {
  await box.sh("seq 1 4002 >/data/r-short; seq -f %0200g 1 1500 >>/data/r-short");
  const first = await ok(read, { file_path: "/data/r-short", offset: 1 });
  assert.match(first, /\n2000\t2000\n\[Lines 1 to 2000\. Use offset to read on\.\]$/);
  const some = await ok(read, { file_path: "/data/r-short", offset: 2_001, limit: 3 });
  assert.equal(some, "2001\t2001\n2002\t2002\n2003\t2003\n[Lines 2001 to 2003. Use offset to read on.]");
  const last = await ok(read, { file_path: "/data/r-short", offset: 5_502, limit: 1 });
  assert.match(last, /^5502\t0+1500$/);
});

test("Read and Grep: the way to the rest of long lines", async () => {
  await box.sh(
    "mkdir -p /data/l; printf 'a\\nb%03000dend\\n\\nc%04000dend\\n' 0 0 >/data/l/two; printf 'end' >/data/l/short",
  );
  const text = await ok(read, { file_path: "l/two" });
  assert.match(
    text,
    /\n\[Long lines are cut\. Use Bash for the rest, such as sed -n 2p FILE \| cut -c 2001-\]$/,
  );
  assert.equal(await ok(bash, { command: "sed -n 2p l/two | cut -c 2001-" }), `${"0".repeat(1_001)}end`);
  assert.equal(
    await ok(read, { file_path: "l/two", offset: 3, limit: 1 }),
    "3\t\n[Lines 3 to 3 of 4. Use offset to read on.]",
  );
  const content = { output_mode: "content", path: "l" };
  const way = /\n\[Long lines are cut\. Use Bash for the rest, such as grep -o\.\]$/;
  assert.match(await ok(grep, { pattern: "end", ...content }), way);
  assert.match(await ok(grep, { pattern: "^c", ...content }), way);
  assert.equal(await ok(grep, { pattern: "end", ...content, glob: "short" }), "/data/l/short\n1:end");
});

test("Read: images as images; other binaries, directories and missing files → an error", async () => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  await box.sandbox.run({
    script: "cat >/data/dot.png; cp /data/dot.png /data/dot.bin",
    stdin: png,
    timeoutMs: 60_000,
  });
  assert.equal(await ok(read, { file_path: "dot.png" }), "image/png");
  await box.sh("head -c 300000 /bin/sh >/data/binary; echo text >/data/fake.png");
  assert.match(await failing(read, { file_path: "binary" }), /binary file/);
  assert.equal(await ok(read, { file_path: "fake.png" }), "1\ttext");
  await box.sh(
    "cd /data && head -c 40 dot.png >cut.png && (head -c 16 dot.png; printf '\\0\\0\\47\\20'; tail -c +21 dot.png) >wide.png",
  );
  assert.match(await failing(read, { file_path: "cut.png" }), /cut\.png is broken or cut off/);
  assert.match(
    await failing(read, { file_path: "wide.png" }),
    /is an image of 10000 × \d+ pixels; at most 8000/,
  );
  assert.match(await failing(read, { file_path: "/data" }), /is a directory/);
  assert.match(await failing(read, { file_path: "nope/x" }), /\/data\/nope\/x does not exist/);
  await box.sh("mkfifo /data/pipe");
  assert.match(await failing(read, { file_path: "pipe" }), /not a regular file/);
});

test("Edit: replaces exactly one occurrence, or all; other bytes are unchanged", async () => {
  await box.sh("printf 'one\\r\\ntwo\\r\\ntwo \\377 end' >/data/e");
  assert.match(await failing(edit, { file_path: "e", old_string: "two", new_string: "2" }), /is 2 times in/);
  assert.match(await failing(edit, { file_path: "e", old_string: "six", new_string: "6" }), /is not in/);
  assert.match(await failing(edit, { file_path: "e", old_string: "one", new_string: "one" }), /the same/);
  assert.match(
    await failing(edit, { file_path: "none", old_string: "a", new_string: "b" }),
    /does not exist/,
  );
  assert.match(
    await ok(edit, { file_path: "e", old_string: "one\ntwo", new_string: "1\n2" }),
    /1 replacement\./,
  );
  assert.equal(await box.sh("od -An -c /data/e | tr -s ' '"), " 1 \\r \\n 2 \\r \\n t w o 377 e n d\n");
  assert.match(
    await ok(edit, { file_path: "e", old_string: "\n", new_string: "\n$&\n", replace_all: true }),
    /2 replacements/,
  );
  assert.match(await box.sh("cat /data/e"), /\$&/);
});

test("Edit: two parallel edits of a file are both kept", async () => {
  await box.sh("echo 'a b' >/data/both");
  await Promise.all([
    ok(edit, { file_path: "both", old_string: "a", new_string: "A" }),
    ok(edit, { file_path: "both", old_string: "b", new_string: "B" }),
  ]);
  assert.equal(await box.sh("cat /data/both"), "A B\n");
});

test("Glob: newest first, with hidden files, without .git, at most 200", async () => {
  await box.sh(`mkdir -p /data/g/.git /data/g/src/deep /data/g/many; cd /data/g; echo many >.gitignore
    touch -d 2020-01-01 old.ts; touch -d 2021-01-01 src/deep/mid.ts; touch -d 2022-01-01 .hidden.ts
    touch .git/no.ts; for i in $(seq 1 250); do : >many/$i.js; done`);
  const found = "/data/g/.hidden.ts\n/data/g/src/deep/mid.ts\n/data/g/old.ts";
  assert.equal(await ok(glob, { pattern: "**/*.ts", path: "g" }), found);
  assert.equal(await ok(glob, { pattern: "*.ts", path: "/data/g" }), found);
  assert.equal(await ok(glob, { pattern: "/data/g/src/**/*.{ts,js}" }), "/data/g/src/deep/mid.ts");
  assert.equal(await ok(glob, { pattern: "/data/g/old.ts" }), "/data/g/old.ts");
  assert.equal(await ok(glob, { pattern: "src/*.ts", path: "g" }), "No files match.");
  const many = (await ok(glob, { pattern: "many/*.js", path: "g" })).split("\n");
  assert.equal(many.length, 201);
  assert.equal(many[200], "[Only the newest 200 are shown. Use a narrower pattern or path.]");
  assert.match(await failing(glob, { pattern: "*", path: "nowhere" }), /not a folder/);
  assert.match(await failing(glob, { pattern: "a{b", path: "g" }), /glob/);
});

test("Grep: names, content, counts and their options", async () => {
  await box.sh(`mkdir -p /data/s/sub /data/s/.git; cd /data/s; printf 'one\\nTwo\\nthree\\n' >a.ts; printf 'two\\n' >sub/b.py
    touch -d 2020-01-01 a.ts; echo two >.git/x; printf 'x%.0s' $(seq 1 3000) >long.txt`);
  assert.equal(await ok(grep, { pattern: "two", path: "s" }), "/data/s/sub/b.py");
  assert.equal(await ok(grep, { pattern: "two", path: "s", "-i": true }), "/data/s/sub/b.py\n/data/s/a.ts");
  assert.equal(await ok(grep, { pattern: "two", path: "s", "-i": true, glob: "*.ts" }), "/data/s/a.ts");
  assert.equal(await ok(grep, { pattern: "two", path: "s", "-i": true, glob: "sub/**" }), "/data/s/sub/b.py");
  assert.equal(await ok(grep, { pattern: "two", path: "s", "-i": true, type: "py" }), "/data/s/sub/b.py");
  const content = { path: "s/a.ts", output_mode: "content" };
  assert.equal(await ok(grep, { pattern: "Two", ...content }), "/data/s/a.ts\n2:Two");
  assert.equal(await ok(grep, { pattern: "Two", ...content, "-n": false }), "/data/s/a.ts\nTwo");
  assert.equal(
    await ok(grep, { pattern: "Two", ...content, "-C": 1 }),
    "/data/s/a.ts\n1-one\n2:Two\n3-three",
  );
  assert.equal(
    await ok(grep, { pattern: "one.Two", ...content, multiline: true }),
    "/data/s/a.ts\n1:one\n2:Two",
  );
  assert.equal(
    await ok(grep, { pattern: "two", path: "s", output_mode: "content", "-i": true }),
    "/data/s/a.ts\n2:Two\n\n/data/s/sub/b.py\n1:two",
  );
  assert.match(await ok(grep, { pattern: ".", ...content, head_limit: 2 }), /a\.ts\n1:one\n\[2 more lines/);
  assert.equal(
    await ok(grep, { pattern: "t", path: "s", output_mode: "count" }),
    "/data/s/a.ts:1\n/data/s/sub/b.py:1",
  );
  assert.ok((await ok(grep, { pattern: "x", path: "s", output_mode: "content" })).length < 2_200);
  assert.equal(await ok(grep, { pattern: "nothing", path: "s" }), "No matches.");
  assert.match(await failing(grep, { pattern: "(", path: "s" }), /regex parse error/);
  assert.match(await failing(grep, { pattern: "x", path: "s", type: "klingon" }), /unrecognized file type/);
  assert.match(await failing(grep, { pattern: "x", path: "nowhere" }), /does not exist/);
});

test("tools: input from the model is never evaluated by the shell", async () => {
  const evil = `x'"$(touch /data/owned)\`touch /data/owned\`; touch /data/owned #`;
  await box.use(glob, { pattern: evil });
  await box.use(grep, { pattern: evil, glob: evil });
  await box.use(grep, { pattern: "--pre=touch /data/owned" });
  await box.use(write, { file_path: evil, content: evil });
  await box.use(edit, { file_path: evil, old_string: "touch", new_string: evil });
  await box.use(read, { file_path: evil });
  await box.sh("test ! -e /data/owned");
  await box.use(write, { file_path: "-rf", content: "x" });
  assert.equal(await ok(read, { file_path: "-rf" }), "1\tx");
});

test("tools: a sandbox that closes → an error with an unknown outcome", async () => {
  const { sandbox } = box;
  const closed = {
    ...sandbox,
    run: async () => ({
      exitCode: null,
      ended: "closed" as const,
      output: Buffer.from("begun\n"),
      omittedBytes: 0,
      outputFile: null,
      cwd: null,
    }),
  };
  const more = { sandbox: async () => closed };
  assert.match(await failing(bash, { command: "x" }, more), /^begun\n\[The sandbox stopped .* unknown/);
  assert.match(await failing(read, { file_path: "x" }, more), /sandbox stopped/);
});

test("Edit: new lines get the line ends that the file has there", async () => {
  const cases: [string, string, string, string][] = [
    [
      "one\\r\\ntwo\\r\\nthree\\r\\n",
      "two",
      "two\ntwo and a half",
      "one\\r\\ntwo\\r\\ntwo and a half\\r\\nthree\\r\\n",
    ],
    ["one\\r\\ntwo", "two", "2\n3", "one\\r\\n2\\r\\n3"],
    ["a\\nb\\r\\nc\\r\\n", "a", "x\ny", "x\\ny\\nb\\r\\nc\\r\\n"],
    ["a\\nb\\r\\nc\\n", "a\nb\nc", "d\ne", "d\\ne\\n"],
    ["a\\r\\nb\\nc\\n", "a\nb", "d\ne", "d\\r\\ne\\nc\\n"],
    ["a\\r\\nb\\r\\n", "a\r\nb", "a\nb", "a\\nb\\r\\n"],
    ["one", "one", "1\n2", "1\\n2"],
    ["path\\\\new (a.b)\\r\\nx", "path\\new (a.b)\nx", "$& $1\ny", "$& $1\\r\\ny"],
  ];
  for (const [before, old_string, new_string, after] of cases) {
    await box.sh(`printf '${before}' >/data/ends.txt`);
    await ok(edit, { file_path: "ends.txt", old_string, new_string });
    assert.equal(
      await box.sh("od -c -An /data/ends.txt"),
      await box.sh(`printf '${after}' | od -c -An`),
      before,
    );
  }
  await box.sh("printf 'a\\r\\nb\\n' >/data/ends.txt");
  assert.match(await ok(read, { file_path: "ends.txt" }), /Some lines end in CR LF, others in LF/);
});

test("UTF-16: read and edited as text, in whole and in part", async () => {
  await box.sh("printf 'grün\\r\\nzwei\\r\\n' | iconv -t UTF-16 >/data/wide.txt");
  await box.sh("{ printf '\\376\\377'; seq 1 60000 | iconv -t UTF-16BE; } >/data/wide-big.txt");
  const text = await ok(read, { file_path: "wide.txt" });
  assert.equal(text, "1\tgrün\n2\tzwei\n[Lines end in CR LF.]\n[The file is UTF-16.]");
  assert.match(
    await ok(read, { file_path: "wide-big.txt", offset: 50_000, limit: 2 }),
    /^50000\t50000\n50001\t50001\n\[Lines 50000 to 50001\. Use offset to read on\.\]$/,
  );
  assert.match(await ok(grep, { pattern: "zwei", path: "wide.txt" }), /wide\.txt/);
  await ok(edit, { file_path: "wide.txt", old_string: "zwei", new_string: "zwei\ndrei €" });
  assert.equal(await box.sh("iconv -f UTF-16 -t UTF-8 /data/wide.txt"), "grün\r\nzwei\r\ndrei €\r\n");
  await ok(edit, { file_path: "wide-big.txt", old_string: "\n59999\n", new_string: "\nlast but one\n" });
  assert.equal(
    await box.sh("iconv -f UTF-16 -t UTF-8 /data/wide-big.txt | tail -n 2"),
    "last but one\n60000\n",
  );
  await box.sh("printf 'a\\0b' >/data/nul");
  assert.match(await failing(read, { file_path: "nul" }), /binary/);
});

test("Glob: links are listed as links, folders behind them only where the pattern names them", async () => {
  await box.sh(`mkdir -p /data/l/real/deep /data/l/sub /data/l/.git && cd /data/l && touch AGENTS.md real/deep/f.md .git/x.md
    ln -s AGENTS.md CLAUDE.md; ln -s ../AGENTS.md sub/up.md; ln -s ../real sub/linked; ln -s .. sub/again; ln -s nowhere lost.md
    ln -s self.md self.md; ln -s /data/l/real 'odd [x] {y}*'`);
  const lines = async (pattern: string, path = "l") => (await ok(glob, { pattern, path })).split("\n").sort();
  assert.deepEqual(await lines("CLAUDE.md"), ["/data/l/CLAUDE.md -> AGENTS.md"]);
  const all = [
    "/data/l/AGENTS.md",
    "/data/l/CLAUDE.md -> AGENTS.md",
    "/data/l/real/deep/f.md",
    "/data/l/sub/up.md -> ../AGENTS.md",
  ];
  assert.deepEqual(await lines("**/*.md"), all);
  assert.deepEqual(await lines("*.md"), all);
  assert.deepEqual(await lines("sub/linked/**/*.md"), ["/data/l/sub/linked/deep/f.md"]);
  assert.deepEqual(await lines("/data/l/sub/again/sub/*.md"), [
    "/data/l/sub/again/sub/up.md -> ../AGENTS.md",
  ]);
  assert.deepEqual(await lines("odd [x] {y}*/**"), ["/data/l/odd [x] {y}*/deep/f.md"]);
  assert.deepEqual(await lines("**", "l/sub/linked"), ["/data/l/sub/linked/deep/f.md"]);
  assert.match(await ok(glob, { pattern: "/etc/*.conf" }), /resolv\.conf/);
});

test("Glob and Grep: literal paths with characters of globs, and filters that select nothing", async () => {
  await box.sh(`mkdir -p '/data/n/app/[slug]/(group)' /data/n/s && cd /data/n && echo found >'app/[slug]/page.tsx'
    echo found >'app/[slug]/(group)/[...all].ts'; echo found >'a[b.ts'; echo found >'{x}.ts'; echo found >s/page.tsx`);
  const names = (pattern: string) => ok(glob, { pattern, path: "n" });
  assert.equal(await names("app/[slug]/page.tsx"), "/data/n/app/[slug]/page.tsx");
  assert.equal(await names("app/[slug]/*.tsx"), "/data/n/app/[slug]/page.tsx");
  assert.deepEqual((await names("**/[slug]/page.tsx")).split("\n").sort(), [
    "/data/n/app/[slug]/page.tsx",
    "/data/n/s/page.tsx",
  ]);
  assert.equal(await names("app/[slug]/(group)/[...all].ts"), "/data/n/app/[slug]/(group)/[...all].ts");
  assert.equal(await names("{x}.ts"), "/data/n/{x}.ts");
  assert.equal(await names("a[b.ts"), "/data/n/a[b.ts");
  assert.match(await failing(glob, { pattern: "b[c", path: "n" }), /has a '\[' without its '\]'/);
  const search = (glob: string, more = {}) => ok(grep, { pattern: "found", path: "n", glob, ...more });
  assert.equal(await search("app/[slug]/page.tsx"), "/data/n/app/[slug]/page.tsx");
  assert.equal(await search("a[b.ts"), "/data/n/a[b.ts");
  assert.match(
    await search("*.py"),
    /^Nothing was searched: in \/data\/n no file is selected by the glob '\*\.py'\.$/,
  );
  assert.match(await ok(grep, { pattern: "found", path: "n", type: "py" }), /selected by the type py\.$/);
  assert.equal(await ok(grep, { pattern: "absent", path: "n", glob: "*.tsx" }), "No matches.");
  assert.equal(await search("!*.ts"), await search("*.tsx"));
});

test("Glob: a file as path, a folder as pattern, a folder that is missing", async () => {
  await box.sh("mkdir -p /data/p/src && touch /data/p/src/a.ts");
  assert.match(
    await failing(glob, { pattern: "*.ts", path: "p/src/a.ts" }),
    /a\.ts is a file\. Give the folder/,
  );
  assert.match(
    await failing(glob, { pattern: "src", path: "p" }),
    /src is a folder\. Use \/data\/p\/src\/\*\*/,
  );
  assert.match(await failing(glob, { pattern: "/data/p/src/" }), /src is a folder/);
  assert.match(await failing(glob, { pattern: "lib/*.ts", path: "p" }), /\/data\/p\/lib is not a folder/);
  assert.match(await failing(glob, { pattern: "src/a.ts/*.ts", path: "p" }), /a\.ts is not a folder/);
  assert.equal(await ok(glob, { pattern: "../p/src/*.ts", path: "p" }), "/data/p/src/a.ts");
  assert.equal(await ok(grep, { pattern: "x", path: "p/src/a.ts", glob: "*.ts" }), "No matches.");
});

test("Write and Edit: links, names and modes as they are, and errors in words", async () => {
  await box.sh(`mkdir -p /data/w && cd /data/w && ln -s made/later.txt dangling && echo one >a && ln a b && echo x >file
    echo fixed >mode && chmod 444 mode; ln -s round circle; ln -s circle round; mkdir shut && echo in >shut/f && chmod 555 shut`);
  assert.match(await ok(write, { file_path: "w/dangling", content: "new" }), /Created/);
  assert.equal(await box.sh("cat /data/w/made/later.txt; readlink /data/w/dangling"), "newmade/later.txt\n");
  await ok(write, { file_path: "w/a", content: "two\n" });
  await ok(edit, { file_path: "w/b", old_string: "two", new_string: "three" });
  assert.equal(await box.sh("cd /data/w && cat a b && stat -c %h a"), "three\nthree\n2\n");
  const readOnly = /mode is read-only by its mode\. .* chmod/;
  assert.match(await failing(edit, { file_path: "w/mode", old_string: "fixed", new_string: "x" }), readOnly);
  assert.match(await failing(write, { file_path: "w/mode", content: "x" }), readOnly);
  assert.match(
    await failing(write, { file_path: "/etc/passwd", content: "x" }),
    /belongs to another user or is mounted read-only/,
  );
  assert.match(await failing(write, { file_path: "w/circle", content: "x" }), /leads in a circle/);
  assert.match(
    await failing(write, { file_path: "w/file/below/x", content: "x" }),
    /\/data\/w\/file is a file, not a directory/,
  );
  assert.match(
    await failing(write, { file_path: "w/shut/new", content: "x" }),
    /no file can be made in the directory \/data\/w\/shut\./,
  );
  assert.match(await ok(write, { file_path: "w/shut/f", content: "changed" }), /Overwrote/);
  assert.equal(await box.sh("cd /data/w && ls -A shut; cat shut/f; find . -name '.write-*'"), "f\nchanged");
});

test("Write over a file that changed since it was read: said so first; Edit says so, too", async () => {
  await ok(write, { file_path: "c.txt", content: "mine\n" });
  await ok(write, { file_path: "c.txt", content: "mine again\n" });
  await box.sh("echo theirs >/data/c.txt");
  const refused = await failing(write, { file_path: "c.txt", content: "over\n" });
  assert.match(
    refused,
    /c\.txt has changed since you read it, and was not written\. Read it again, or write it once more/,
  );
  assert.equal(await box.sh("cat /data/c.txt"), "theirs\n");
  assert.match(await ok(write, { file_path: "/data/./c.txt", content: "over\n" }), /Overwrote/);
  await box.sh("echo new >>/data/c.txt");
  await ok(read, { file_path: "c.txt" });
  await ok(write, { file_path: "c.txt", content: "two\nlines\n" });
  await box.sh("touch /data/c.txt");
  await ok(write, { file_path: "c.txt", content: "two\nlines\n" });
  await box.sh("echo more >>/data/c.txt");
  assert.match(
    await ok(edit, { file_path: "c.txt", old_string: "two", new_string: "2" }),
    /had changed since you read it/,
  );
  assert.match(await ok(edit, { file_path: "c.txt", old_string: "2", new_string: "3" }), /1 replacement\.$/);
  await box.sh("rm /data/c.txt");
  assert.match(await ok(write, { file_path: "c.txt", content: "again" }), /Created/);
});

test("Bash: CR LF in a command is a line end", async () => {
  assert.equal(
    await ok(bash, {
      command: "cd /\r\nif true; then\r\n  echo yes\r\nfi\r\ncat <<END\r\nx\r\nEND\r\ncd /data",
    }),
    "yes\nx",
  );
});
