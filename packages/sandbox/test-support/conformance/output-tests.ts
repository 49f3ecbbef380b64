import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { quote } from "../../src/scripts/quote.ts";
import { conformanceTest, ok, type Suite, sh } from "./context.ts";

/** Ends of output, among them every hexadecimal digit. */
const ENDINGS = [..."0123456789abcdef", "line", "[y/N]:", "60%"];

/** Tests of long, endless and late output. */
export function outputTests(suite: Suite): void {
  conformanceTest(suite, "output: too long → head and tail, cut between lines", async ({ open }) => {
    const sandbox = await open();
    const whole = await ok(sandbox, "seq 1 20000", { maxOutputBytes: 1_000_000 });
    const cut = await sh(sandbox, "seq 1 20000", { maxOutputBytes: 1000 });
    assert.ok(cut.output.length <= 1000);
    assert.equal(cut.output.length + cut.omittedBytes, whole.length + 1);
    const lines = cut.text.split("\n");
    assert.deepEqual([lines[0], lines.at(-2)], ["1", "20000"]);
    for (const line of lines.slice(0, -1)) assert.match(line, /^[1-9]\d*$/);
    assert.equal(cut.outputFile, null);
    const exact = await sh(sandbox, "printf 1234567890", { maxOutputBytes: 10, keepOutput: true });
    assert.deepEqual([exact.text, exact.omittedBytes, exact.outputFile], ["1234567890", 0, null]);
  });

  conformanceTest(suite, "output: keepOutput → all of it is in a file", async ({ open }) => {
    const sandbox = await open();
    for (const shell of [{}, { shell: "main" }]) {
      const cut = await sh(sandbox, "seq 1 300000", { maxOutputBytes: 5000, keepOutput: true, ...shell });
      assert.ok(cut.omittedBytes > 1_000_000);
      assert.equal(await ok(sandbox, `seq 1 300000 | cmp - ${cut.outputFile} && echo same`), "same");
    }
  });

  conformanceTest(suite, "output: a flood takes bounded memory of the server", async ({ open }) => {
    const sandbox = await open();
    const before = process.memoryUsage().rss;
    let peak = 0;
    const result = await sh(sandbox, "yes | head -c 200000000", {
      keepOutput: true,
      onOutput: () => {
        peak = Math.max(peak, process.memoryUsage.rss());
      },
    });
    assert.equal(result.exitCode, 0);
    assert.ok(result.output.length <= 102_400);
    assert.ok(peak - before < 150_000_000, `${peak - before}`);
    assert.equal(await ok(sandbox, `wc -c <${result.outputFile}; rm ${result.outputFile}`), "200000000");
  });

  conformanceTest(suite, "output: passed on while the command runs", async ({ open }) => {
    const sandbox = await open();
    await ok(sandbox, "mkfifo /tmp/go");
    const first = Promise.withResolvers<string>();
    const running = sh(sandbox, "echo first; cat /tmp/go", {
      onOutput: (chunk) => first.resolve(Buffer.from(chunk).toString()),
    });
    assert.equal(await first.promise, "first\n");
    await ok(sandbox, "echo second >/tmp/go");
    assert.equal((await running).text, "first\nsecond\n");
  });

  conformanceTest(suite, "output: passed on at once, whatever it ends with so far", async ({ open }) => {
    const sandbox = await open();
    for (const shell of [{}, { shell: "main" }]) {
      let text = "";
      const printed = new EventEmitter();
      const answers = async function* () {
        for (const ending of ENDINGS) {
          while (!text.endsWith(ending)) await once(printed, "more");
          yield Buffer.from("\n");
        }
      };
      const script = `for ending in ${ENDINGS.map(quote).join(" ")}; do printf %s "$ending"; read -r answer; done`;
      const onOutput = (chunk: Uint8Array) => {
        text += Buffer.from(chunk).toString();
        printed.emit("more");
      };
      await sandbox.run({ script, stdinStream: answers(), onOutput, timeoutMs: 60_000, ...shell });
      assert.equal(text, ENDINGS.join(""));
    }
  });

  conformanceTest(suite, "output: binary bytes are exact", async ({ open }) => {
    const sandbox = await open();
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const result = await sandbox.run({ script: "cat", stdin: bytes, timeoutMs: 60_000 });
    assert.deepEqual(Buffer.from(result.output), bytes);
  });
}
