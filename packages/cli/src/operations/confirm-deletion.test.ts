import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Installation, startInstallation } from "../../test-support/installation.ts";
import { openTerminal } from "../../test-support/terminal.ts";

const WITHIN = { timeout: 120_000 };

let service: Installation;
before(async () => {
  service = await startInstallation();
});
after(() => service.stop());

const made = async (name: string): Promise<string> =>
  (await service.json("agents", "create", "-f", `name=${name}`, "-f", "model=rehearsal/steps")).id;
const isThere = async (id: string) => (await service.run(["agents", "get", id])).code === 0;

test(
  "delete on a terminal: asks with the id and the name, and deletes only after a yes",
  WITHIN,
  async (t) => {
    const id = await made("Helper");
    const cwd = service.dir;
    const remove = (...flags: string[]) =>
      openTerminal(t, ["agents", "delete", id, ...flags], { env: service.env, cwd });
    for (const [typed, code, said] of [
      ["n\n", 1, "Nothing was changed."],
      ["\n", 1, "Nothing was changed."],
      ["yes please\n", 1, "Nothing was changed."],
      ["\u0004", 1, "Nothing was changed."],
      ["\u0003", 130, "Interrupted."],
    ] as const) {
      const terminal = remove();
      await terminal.until(/\[y\/N\]/);
      terminal.type(typed);
      const { code: ended, output } = await terminal.ended;
      assert.equal(ended, code, output);
      assert.ok(output.includes(said), output);
      assert.ok(output.includes(`Delete an agent: ${id} (Helper)? [y/N]`), output);
      assert.ok(await isThere(id), "it is still there");
    }
    const agreed = remove();
    await agreed.until(/\[y\/N\]/);
    agreed.type("y\n");
    assert.equal((await agreed.ended).code, 0);
    assert.equal(await isThere(id), false);
  },
);

test("delete with --yes, or without a terminal: nobody is asked", WITHIN, async (t) => {
  const [one, two] = [await made("One"), await made("Two")];
  const terminal = openTerminal(t, ["agents", "delete", one, "--yes", "--quiet"], {
    env: service.env,
    cwd: service.dir,
  });
  assert.deepEqual(await terminal.ended, { code: 0, output: "" });
  assert.equal(await service.done("agents", "delete", two, "-o", "id"), `${two}\n`);
  assert.deepEqual([await isThere(one), await isThere(two)], [false, false]);
});
