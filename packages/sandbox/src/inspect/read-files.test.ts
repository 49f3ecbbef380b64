import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import fc from "fast-check";
import { type FreshEngine, freshEngine, openIn } from "../../test-support/bubblewrap.ts";
import { ok } from "../../test-support/conformance/context.ts";
import type { Command } from "../interface/command.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import { parseContents, readFiles } from "./read-files.ts";

const contents = fc.array(fc.option(fc.uint8Array({ maxLength: 40 })), { maxLength: 8 });

/** Returns what the program prints for files; null stands for a file that cannot be read. */
function printed(files: readonly (Uint8Array | null)[]): Buffer {
  return Buffer.concat(
    files.map((bytes) => (bytes === null ? Buffer.from("!") : Buffer.from([0x3d, ...bytes]))),
  );
}

function wanted(files: readonly (Uint8Array | null)[]): { size: number }[] {
  return files.map((bytes) => ({ size: bytes?.length ?? 7 }));
}

describe("parseContents", () => {
  test("property: what is printed of files comes back, and of an end that is missing, what was whole before", () => {
    fc.assert(
      fc.property(contents, fc.nat(), (files, cut) => {
        const output = printed(files);
        const whole = files.map((bytes) => bytes && Buffer.from(bytes));
        assert.deepEqual(parseContents(output, wanted(files)), whole);
        const beginning = output.subarray(0, cut % (output.length + 1));
        const parsed = parseContents(beginning, wanted(files));
        assert.deepEqual(parsed, whole.slice(0, parsed.length));
        const after = files.slice(0, parsed.length + 1);
        assert.ok(parsed.length === files.length || printed(after).length > beginning.length);
      }),
    );
  });

  test("property: of any bytes, no more than the files, each of its size; with bytes to spare, none", () => {
    const bytes = fc.uint8Array({ maxLength: 60 });
    const hostile = fc.oneof(
      bytes,
      fc.array(fc.constantFrom(0x3d, 0x21, 0)).map((list) => Uint8Array.from(list)),
    );
    fc.assert(
      fc.property(hostile, fc.array(fc.nat(9), { maxLength: 8 }), (output, sizes) => {
        const files = sizes.map((size) => ({ size }));
        const parsed = parseContents(Buffer.from(output), files);
        assert.ok(parsed.length <= files.length);
        for (const [index, content] of parsed.entries())
          assert.ok(content === null || content.length === sizes[index]);
      }),
    );
    fc.assert(
      fc.property(contents, fc.uint8Array({ minLength: 1 }), (files, more) => {
        assert.deepEqual(parseContents(Buffer.concat([printed(files), more]), wanted(files)), []);
      }),
    );
  });
});

async function opened(t: TestContext): Promise<Sandbox> {
  const fresh: FreshEngine = await freshEngine("files");
  t.after(() => fresh.close());
  return await openIn(fresh, "files");
}

/**
 * Returns `name:content` for each file, `name!` for one that was not read, and `|` when the command did not
 * end.
 */
async function read(
  sandbox: Pick<Sandbox, "run">,
  files: readonly (readonly [string, number])[],
): Promise<string> {
  const list = files.map(([path, size]) => ({ path: Buffer.from(path, "latin1"), size }));
  const found = await readFiles(sandbox, "/data", list, { timeoutMs: 60_000 });
  const texts = found.contents.map((bytes, index) => {
    const [path = ""] = files[index] ?? [];
    return bytes === null ? `${path}!` : `${path}:${bytes.toString("latin1")}`;
  });
  return [...texts, ...(found.ended ? [] : ["|"])].join(" ");
}

test("readFiles: any name, and what is no file of the size is told of, without opening a pipe", async (t) => {
  const sandbox = await opened(t);
  await ok(
    sandbox,
    `mkdir -p dir/deep closed; printf one >a; printf deep >dir/deep/b; printf dash >./-rf; printf line >'l\n'
    printf bytes >"$(printf 'x\\377')"; : >empty; mkfifo pipe; ln -s a link; ln -s dir way; echo x >secret; chmod 0 secret; ln -s /dev/zero zero`,
  );
  assert.equal(
    await read(sandbox, [
      ["a", 3],
      ["a", 2],
      ["a", 4],
      ["dir/deep/b", 4],
      ["pipe", 1],
      ["pipe", 0],
      ["-rf", 4],
      ["l\n", 4],
      ["l", 4],
      ["x\xff", 5],
      ["link", 3],
      ["zero", 9],
      ["dir", 1],
      ["secret", 1],
      ["missing", 0],
      ["empty", 0],
    ]),
    "a:one a:on a! dir/deep/b:deep pipe! pipe! -rf:dash l\n:line l! x\xff:bytes link! zero! dir! secret! missing! empty:",
  );
  assert.equal(await read(sandbox, []), "");
});

test("readFiles: without perl, with one that lies or dies, or when it is cut off → what is sure, and the rest is left", async (t) => {
  const sandbox = await opened(t);
  await ok(sandbox, "printf one >a; printf two >b; mkdir programs");
  const files = [
    ["a", 3],
    ["b", 3],
  ] as const;
  const put = (perl: string) =>
    ok(sandbox, `cat >programs/perl && chmod +x programs/perl`, {
      stdin: Buffer.from(`#!/bin/sh\n${perl}\n`),
    });
  const own = { ...sandbox, run: (command: Command) => sandbox.run(withPath(command)) };
  const withPath = (command: Command) => ({
    ...command,
    environment: { ...command.environment, PATH: "/data/programs" },
  });
  assert.equal(await read(own, files), "");
  for (const [perl, told] of [
    ["printf '=one=two'", "a:one b:two"],
    ["printf '!!'", "a! b!"],
    ["printf '=one=tw'; kill -9 $$", "a:one"],
    ["printf '=one'; exit 3", "a:one"],
    ["printf '=one=two!'", ""],
    ["printf '=one two'", ""],
    ["printf '=onetwo='", ""],
    ["/usr/bin/yes =one | /usr/bin/head -c 1000000", ""],
  ] as const) {
    await put(perl);
    assert.equal(await read(own, files), told, perl);
  }
  const stopped = new AbortController();
  await put("printf '=one'; /usr/bin/sleep 60");
  const list = files.map(([path, size]) => ({ path: Buffer.from(path), size }));
  const slow = {
    run: (command: Command) =>
      sandbox.run({ ...withPath(command), onOutput: () => stopped.abort(), signal: stopped.signal }),
  };
  const cut = await readFiles(slow, "/data", list, { timeoutMs: 60_000 });
  assert.deepEqual([cut.contents.map(String), cut.ended], [["one"], false]);
});
