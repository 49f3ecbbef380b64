import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { play } from "./frame/play.ts";
import { type Stage, startStage } from "./frame/stage.ts";
import type { Form, Task } from "./frame/task.ts";
import { TASKS } from "./tasks/all-tasks.ts";

/** Sandboxes that run at the same time. */
const AT_ONCE = 3;
const EXPECTED = {
  usual: "done by a model that acts on the notes",
  unaided: "missed by one that does not",
};
const FORMS = ["usual", "unaided"] as const;
const playsOf = (task: Task) => FORMS.map((form): [Task, Form] => [task, form]);

let shared: Stage;
before(async () => {
  shared = await startStage(TASKS.flatMap(playsOf));
});
after(() => shared.close());

describe("what results and compactions leave out", { concurrency: AT_ONCE, timeout: 600_000 }, () => {
  for (const task of TASKS) {
    for (const form of FORMS)
      test(`${task.name}: ${EXPECTED[form]}`, async () => {
        const stage = task.alone ? await startStage(playsOf(task)) : shared;
        try {
          const played = await play(stage, task, form);
          const told = `${played.judgement}\n${played.story}`;
          assert.equal(played.passed, form === "usual", told);
          if (form === "usual") assert.ok(played.compactions >= (task.compactions ?? 0), told);
        } finally {
          if (task.alone) await stage.close();
        }
      });
  }
});
