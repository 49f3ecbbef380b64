import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";

const WITHIN = { timeout: 120_000 };

/** Returns a user's directory, and starts processes that each add contexts to it in turn. */
function machine(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), "berth-contexts-"));
  t.after(() => rmSync(home, { recursive: true }));
  const file = join(home, "berth/contexts.json");
  const module = new URL("./contexts.ts", import.meta.url).href;
  return {
    file,
    async add(name: string, count: number): Promise<void> {
      const script = `
        import { changeContexts } from ${JSON.stringify(module)};
        const context = { url: "https://berth.example.com", token: "t" };
        for (let index = 0; index < ${count}; index++)
          await changeContexts(({ current, contexts }) => ({ current, contexts: { ...contexts, ["${name}" + index]: context } }));`;
      const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", script], {
        env: { XDG_CONFIG_HOME: home },
        stdio: ["ignore", "ignore", "pipe"],
      });
      const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
      assert.equal(code, 0, stderr);
    },
    names: () => Object.keys(JSON.parse(readFileSync(file, "utf8")).contexts).toSorted(),
  };
}

test("contexts: two processes that store at once lose nothing of each other", WITHIN, async (t) => {
  const { add, names, file } = machine(t);
  await Promise.all([add("a", 100), add("b", 100)]);
  const all = ["a", "b"].flatMap((name) => Array.from({ length: 100 }, (_, index) => `${name}${index}`));
  assert.deepEqual(names(), all.toSorted());
  assert.equal(existsSync(`${file}.lock`), false);
});

test("contexts: what a killed process left locked is freed", WITHIN, async (t) => {
  const { add, names, file } = machine(t);
  mkdirSync(join(file, ".."));
  writeFileSync(`${file}.lock`, "of nobody");
  utimesSync(`${file}.lock`, 0, 0);
  await add("a", 1);
  assert.deepEqual(names(), ["a0"]);
  assert.equal(existsSync(`${file}.lock`), false);
});
