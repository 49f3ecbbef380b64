// The subject is what importing index.ts loads.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

test("at run time the client loads only its own files and the table of operations: no schema library, no Node modules", () => {
  const report = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    await import(${JSON.stringify(new URL("./index.ts", import.meta.url).href)});
    console.log(JSON.stringify(loaded));`;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", report], {
    encoding: "utf8",
  });
  const loaded = JSON.parse(output) as string[];
  const own = /\/packages\/(sdk\/src\/[\w/-]+|contract\/src\/operations(\/[\w-]+)?)\.ts$/;
  assert.deepEqual(
    loaded.filter((url) => !own.test(url)),
    [],
  );
  assert.ok(loaded.length > 10);
});
