import assert from "node:assert/strict";
import test from "node:test";
import { exploring } from "./exploring.ts";
import { taskFiles } from "./repository.ts";
import { longScript, pauseScript, readScript, type Script, shortScript } from "./script.ts";
import { toolOf, translate } from "./translate.ts";

test("the scripts have the steps and calls that they are compared by", () => {
  const counts = ({ turns }: Script) => turns.map(({ steps }) => [steps.length, steps.flat().length]);
  assert.deepEqual(counts(shortScript()), [
    [40, 45],
    [39, 41],
  ]);
  assert.deepEqual(counts(longScript()), [[400, 400]]);
  assert.deepEqual(counts(readScript()), [[100, 100]]);
});

for (const script of [shortScript(), longScript(), pauseScript(), readScript()])
  test(`each file that the ${script.name} script names is there, and each edit finds its text just once`, () => {
    const files = taskFiles();
    for (const call of script.turns.flatMap(({ steps }) => steps.flat())) {
      if (call.do !== "read" && call.do !== "edit") continue;
      const text = files.get(call.path);
      assert.ok(text !== undefined, call.path);
      if (call.do === "read") continue;
      assert.equal(text.split(call.before).length, 2, `${call.path}: ${call.before}`);
      files.set(call.path, text.replace(call.before, call.after));
    }
  });

for (const script of [shortScript(), longScript()])
  test(`the ${script.name} script with questions has the same steps in the same order, and asks for nothing that it edits`, () => {
    for (const [index, { steps }] of exploring(script).turns.entries()) {
      const unfolded = steps.flatMap((step) => {
        const [call] = step;
        return call?.do === "ask" ? call.steps : [step];
      });
      assert.deepEqual(unfolded, script.turns[index]?.steps);
      const asked = steps.flat().flatMap((call) => (call.do === "ask" ? [call] : []));
      assert.ok(asked.length > 2);
      const edited = unfolded.flat().flatMap((call) => (call.do === "edit" ? [call.path] : []));
      for (const call of asked.flatMap((one) => one.steps.flat()))
        assert.ok(call.do === "search" || (call.do === "read" && !edited.includes(call.path)));
    }
  });

test("a call is made in the tools that a request declares", () => {
  const read = { do: "read", path: "a.ts" } as const;
  const tools = [
    toolOf("Read", { properties: { file_path: {} } }),
    toolOf("exec_command", { properties: { cmd: {} } }),
  ];
  assert.deepEqual(translate(read, tools, "/r"), { name: "Read", input: { file_path: "/r/a.ts" } });
  assert.deepEqual(translate(read, tools.slice(1), "/r"), {
    name: "exec_command",
    input: { cmd: "cat a.ts" },
  });
  const edit = { do: "edit", path: "a.ts", before: "a * 2", after: "a" } as const;
  assert.deepEqual(translate(edit, tools, "/r"), {
    name: "exec_command",
    input: { cmd: "sed -i 's/^a \\* 2$/a/' a.ts" },
  });
  assert.throws(() => translate(edit, [], "/r"), /no tool runs commands/);
});
