import assert from "node:assert/strict";
import { covers } from "../acceptance/harness/covers.ts";
import { bash, makeSession, steps } from "../acceptance/harness/fixtures.ts";
import { gate, openGate } from "../acceptance/harness/live-output.ts";
import { Console } from "./harness/console.ts";

const console = await Console.start();
const WIDTHS = [390, 1024, 1440];

/** Commands that print a first and a second part, and the visible text of both. */
const COMMANDS = {
  "a build that prints lines": {
    first: "for i in $(seq 1 30); do echo compiling file $i; done",
    seen: "compiling file 30",
    unseen: "compiling file 1\n",
    beginning: /^compiling file 1\ncompiling file 2\n/,
    second: "echo built",
  },
  "a long line without an end, in colours": {
    first: "printf '\\033[32mpassed \\033[0m'; printf 'wide%.0s' $(seq 1 400)",
    seen: "widewide",
    unseen: "passed",
    beginning: /^passed wide/,
    second: "echo; echo built",
  },
};

covers(
  ["console-tool-output"],
  "what a command prints is below its call while it runs, at each width, and the result in its place",
  async () => {
    for (const [name, { first, seen, unseen, beginning, second }] of Object.entries(COMMANDS)) {
      const { id } = await makeSession(console.api);
      const visited = await console.signedIn(`/sessions/${id}`);
      const { page } = visited;
      await console.api.ok("POST", `/sessions/${id}/events`, {
        events: [steps(bash(`${first}; ${gate("a")}; ${second}; ${gate("b")}; echo over`))],
      });
      const transcript = page.getByRole("region", { name: "Transcript" });
      const live = transcript.getByRole("log", { name: "Output so far" });
      await live.getByText(seen).first().waitFor();
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await live.getByText(seen).first().waitFor();
        assert.equal(await live.count(), 1);
        assert.ok(!(await live.textContent())?.includes(unseen), `${name}: only the newest lines`);
        const box = await live.boundingBox();
        assert.ok(box !== null && box.x >= 0 && box.x + box.width <= width, `${name} at ${width}`);
        assert.ok(box.height < 600, `${name} at ${width}: ${box.height}`);
        const scrolls = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
        assert.equal(scrolls, false, `${name} at ${width}: nothing is beside the page`);
      }
      await page.reload();
      await live.getByText(seen).first().waitFor();
      await openGate(console.api, id, "a");
      await live.getByText("built").waitFor();
      await openGate(console.api, id, "b");
      await live.waitFor({ state: "detached" });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const texts = await transcript.locator("pre").allTextContents();
        const found = texts.filter((text) => beginning.test(text));
        assert.equal(found.length, 1, `${name} at ${width}: the result is there once: ${texts.join("\n")}`);
      }
      assert.deepEqual(visited.faults, []);
      await page.close();
    }
  },
);
