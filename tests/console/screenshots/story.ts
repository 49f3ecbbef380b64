import type { Answer, Script } from "./scripted-model.ts";

/** The repository that the agents in the pictures work in. */
export const FILES = {
  "README.md": "# duration\n\nReads durations such as `1h30m`.\n",
  "package.json": '{ "name": "duration", "type": "module", "scripts": { "test": "node --test" } }\n',
  "src/duration.js": `const UNITS = { s: 1, m: 60, h: 3600, d: 86400 };

/** The seconds of a duration such as "1h30m". */
export function parseDuration(text) {
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\\d+)([smhd])/g)) {
    seconds += Number(amount) * UNITS[unit];
  }
  return seconds;
}
`,
  "test/duration.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDuration } from "../src/duration.js";

test("adds up its parts", () => assert.equal(parseDuration("1h30m"), 5400));
`,
};

export const MAIN_TASK =
  '`parseDuration("1.5h")` returns 18000 instead of 5400. Make fractions work, with tests, and push a branch.';

const FRACTIONS: readonly Answer[] = [
  {
    say: "I'll read the parser and its tests first.",
    calls: [
      ["Read", { file_path: "/data/duration/src/duration.js" }],
      ["Read", { file_path: "/data/duration/test/duration.test.js" }],
    ],
  },
  {
    say: "The pattern takes digits alone, so of `1.5h` it sees only `5h`. I'll let it take a fraction too.",
    calls: [
      [
        "Edit",
        {
          file_path: "/data/duration/src/duration.js",
          old_string:
            "text.matchAll(/(\\d+)([smhd])/g)) {\n    seconds += Number(amount) * UNITS[unit];\n  }\n  return seconds;",
          new_string:
            "text.matchAll(/(\\d+(?:\\.\\d+)?)([smhd])/g)) {\n    seconds += Number(amount) * UNITS[unit];\n  }\n  return Math.round(seconds);",
        },
      ],
      [
        "Edit",
        {
          file_path: "/data/duration/test/duration.test.js",
          old_string: '"1h30m"), 5400));\n',
          new_string:
            '"1h30m"), 5400));\ntest("reads fractions", () => assert.equal(parseDuration("1.5h"), 5400));\ntest("rounds to whole seconds", () => assert.equal(parseDuration("0.0005h"), 2));\n',
        },
      ],
    ],
  },
  {
    calls: [["Bash", { command: "cd duration && FORCE_COLOR=1 node --test --test-reporter=spec" }]],
  },
  {
    say: "All three tests pass. I'll push the branch `fractions`, if you agree:",
    calls: [
      [
        "Bash",
        {
          command:
            "cd duration && git switch -qc fractions && git commit -qam 'fix: durations with fractions' && git push -q origin fractions",
        },
      ],
    ],
  },
  {
    say: "The branch **fractions** is pushed.\n\n| input | before | now |\n|---|---|---|\n| `1.5h` | 18000 | 5400 |\n| `0.5d` | 432000 | 43200 |\n\nDurations without fractions give what they gave before.",
  },
];

const look = (path: string): Answer => ({ calls: [["Read", { file_path: path }]] });

/** The other sessions of the list: title, task and the model's responses. */
export const OTHERS: readonly { title: string; task: string; answers: readonly Answer[] }[] = [
  {
    title: "Explain how durations are read",
    task: "Explain how durations are read, for the README.",
    answers: [
      look("/data/duration/src/duration.js"),
      { say: "Each amount is multiplied by its unit, and all are added up." },
    ],
  },
  {
    title: "Weeks as a unit",
    task: "Add weeks as a unit.",
    answers: [look("/data/duration/src/duration.js"), { say: "I added `w: 604800`." }],
  },
  {
    title: "Check the licences of all dependencies",
    task: "Check the licences of all dependencies.",
    answers: [
      {
        calls: [
          [
            "Bash",
            {
              command:
                "cd duration && cat package.json && curl -sS --max-time 5 https://registry.npmjs.org/ || true",
            },
          ],
        ],
      },
      { say: "The package has no dependencies, so that there is nothing to check." },
    ],
  },
  {
    title: "Negative durations are an error",
    task: "Negative durations should be an error.",
    answers: [
      look("/data/duration/test/duration.test.js"),
      { say: "A negative duration now throws a `RangeError`." },
    ],
  },
  {
    title: "Release notes for 2.1",
    task: "Write the release notes for 2.1.",
    answers: [look("/data/duration/README.md"), { say: "## 2.1\n\n- Durations may have fractions." }],
  },
];

export const SCRIPT: Script = new Map([
  ["Make fractions work", FRACTIONS],
  ...OTHERS.map(({ task, answers }) => [task, answers] as const),
]);
