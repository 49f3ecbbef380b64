// Subject: outputs that change between the listing and the reading, and a sandbox that lies about them.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "@berth/sandbox";
import fc from "fast-check";
import { type TestOutputs, testOutputs } from "../../test-support/outputs.ts";

const RUNS = 12;

/** Changes of a file after the listing, and whether as many bytes as listed can still be read. */
const CHANGES = {
  nothing: { script: () => "true", read: true },
  grows: { script: (path: string) => `printf more >>${path}`, read: true },
  shrinks: { script: (path: string) => `truncate -s -1 ${path}`, read: false },
  goes: { script: (path: string) => `rm ${path}`, read: false },
  "may not be read": { script: (path: string) => `chmod 0 ${path}`, read: false },
  "becomes a link": { script: (path: string) => `ln -sf /etc/passwd ${path}`, read: false },
  "becomes a link to itself elsewhere": {
    script: (path: string) => `cp ${path} /data/other && ln -sf /data/other ${path}`,
    read: false,
  },
  "becomes a pipe": { script: (path: string) => `rm ${path} && mkfifo ${path}`, read: false },
  "becomes a directory": { script: (path: string) => `rm ${path} && mkdir ${path}`, read: false },
} as const;

interface Output {
  name: string;
  size: number;
  change: keyof typeof CHANGES;
}

const NAMES = ["plain", "-rf", "of two\nlines", "it's", '"$(x)"', "dir/in it", " ", "räume", "= 7", "!"];
const output: fc.Arbitrary<Output> = fc.record({
  name: fc.constantFrom(...NAMES),
  size: fc.oneof(fc.nat(3), fc.constantFrom(255, 4_096, 65_536, 65_537, 200_000)),
  change: fc.constantFrom(...(Object.keys(CHANGES) as (keyof typeof CHANGES)[])),
});

const quoted = (path: string) => `'./${path.replaceAll("'", "'\\''")}'`;
const letter = (index: number) => String.fromCharCode(97 + (index % 26));

/** Replaces the program `perl` alone. */
const withPerl = (command: Command): Command => ({
  ...command,
  environment: { ...command.environment, PATH: "/data/programs:/usr/bin:/bin" },
});

async function setPerl({ sandbox }: TestOutputs, script: string): Promise<void> {
  const { exitCode } = await sandbox.run({
    script: "mkdir -p programs && cat >programs/perl && chmod +x programs/perl",
    stdin: Buffer.from(`#!/bin/sh\n${script}\n`),
    timeoutMs: 60_000,
  });
  assert.equal(exitCode, 0);
}

for (const [way, command] of [
  ["at once", undefined],
  ["one by one, where there is no perl", withPerl],
] as const)
  test(`property: read ${way}, a file has the bytes that were listed, or is told of`, async (t) => {
    const outputs = await testOutputs(t);
    await setPerl(outputs, "exit 127");
    const { sh, session } = outputs;
    const list = fc.uniqueArray(output, { selector: ({ name }) => name, minLength: 1 });
    await fc.assert(
      fc.asyncProperty(list, async (files) => {
        const { collect, saved } = await session();
        await sh("chmod -R u+rwX . && find . -mindepth 1 -delete && mkdir dir");
        for (const [index, { name, size }] of files.entries())
          await sh(`head -c ${size} /dev/zero | tr '\\0' ${letter(index)} >${quoted(name)}`);
        const meanwhile = files.map(({ name, change }) => CHANGES[change].script(quoted(name))).join("; ");
        const { state, faults } = await collect({
          meanwhile: `${meanwhile}; true`,
          ...(command && { command }),
        });
        // An empty file is not read.
        const isRead = ({ size, change }: Output) => size === 0 || CHANGES[change].read;
        const kept = files.flatMap((file, index) => (isRead(file) ? [{ file, index }] : []));
        const shown = (name: string) => name.replaceAll("\n", "\uFFFD");
        assert.deepEqual(
          await saved(),
          kept.map(({ file, index }) => `${shown(file.name)}:${letter(index).repeat(file.size)}`).toSorted(),
        );
        const left = files.filter((file) => !isRead(file));
        assert.equal(state, left.length === 0 ? "whole" : "partial");
        const unread = faults.filter((fault) => fault.endsWith("' could not be read"));
        assert.deepEqual(
          unread.toSorted(),
          left.map(({ name }) => `'${shown(name)}' could not be read`).toSorted(),
        );
      }),
      { numRuns: RUNS },
    );
  });

test("perl lies, floods, or dies between files → each file has its own bytes", async (t) => {
  const outputs = await testOutputs(t);
  const { sh, session } = outputs;
  await sh("for n in $(seq 40); do printf $n >$n; done");
  const all = Array.from({ length: 40 }, (_, index) => `${index + 1}:${index + 1}`).toSorted();
  for (const script of [
    "cat >/dev/null; /usr/bin/yes | head -c 1000000",
    "cat",
    "cat >/dev/null; printf '='",
    "printf '!' | head -c 0",
    '/usr/bin/perl "$@" | head -c 30',
    '/usr/bin/perl "$@"; printf more',
    '/usr/bin/perl "$@" | head -c 30; kill -9 $$',
  ]) {
    await setPerl(outputs, script);
    const { collect, saved } = await session();
    assert.deepEqual(await collect({ command: withPerl }), { state: "whole", faults: [] }, script);
    assert.deepEqual(await saved(), all, script);
  }
});

test("the sandbox ends while a group is read → what was told before it is stored, and the rest is not lost", async (t) => {
  const outputs = await testOutputs(t);
  const { sh, session, sandbox } = outputs;
  await sh("for n in $(seq 40); do printf $n >$n; done");
  await setPerl(outputs, '/usr/bin/perl "$@" | head -c 30; sleep 60');
  const { collect, saved } = await session();
  const command = (given: Command) => ({
    ...withPerl(given),
    ...(given.stdin && { onOutput: () => void sandbox.close() }),
  });
  assert.deepEqual(await collect({ command }), { state: "cut", faults: [] });
  const stored = await saved();
  assert.ok(stored.length > 5 && stored.length < 15, `${stored.length}`);
  for (const file of stored) assert.match(file, /^(\d+):\1$/);
});
