import assert from "node:assert/strict";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Installation, sharedInstallation } from "../../../test-support/installation.ts";

const manual = (name: string, rest = "How.\n") =>
  `---\nname: ${name}\ndescription: Does things.\n---\n${rest}`;

describe("apply: skills", { timeout: 420_000 }, () => {
  let service: Installation;
  before(async () => {
    service = await sharedInstallation();
    await mkdir(join(service.dir, "kept/skills/tidy/scripts"), { recursive: true });
    await write("kept/skills/tidy/SKILL.md", manual("tidy"));
    await write("kept/skills/tidy/scripts/run.sh", "#!/bin/sh\n");
    await write("kept/skills/tidy/.DS_Store", "x");
  });
  after(() => service.stop());

  const write = (file: string, text: string) => writeFile(join(service.dir, file), text);
  const apply = async (...args: string[]) =>
    (await service.done("apply", "-f", ...args)).replaceAll(/ {2}(agent|skill)_\w+/g, "");
  const skill = async (name: string) =>
    (await service.json("skills", "list")).data.find((one: { name: string }) => one.name === name);

  test("apply: a skill's directory is uploaded, and a new version made only of other content", async () => {
    const file = "kept/skill.yaml";
    await write(file, "kind: skill\ndirectory: skills/tidy\ndisplay_title: Tidy up\n");
    const planned = await apply(file, "--dry-run");
    assert.match(
      planned,
      /^skill\/tidy would be created\n {2}\+ display_title: "Tidy up"\n {2}\+ files\/SKILL\.md: sha256:[0-9a-f]{64}\n {2}\+ files\/scripts\/run\.sh: sha256:[0-9a-f]{64}:executable\n$/,
    );
    assert.equal(await skill("tidy"), undefined, "a dry run makes none");
    assert.equal(await apply(file), "skill/tidy created\n");
    for (const more of [[], ["--dry-run"]])
      assert.equal(await apply(file, ...more), "skill/tidy unchanged\n");
    assert.equal((await skill("tidy")).latest_version, 1);

    await write("kept/skills/tidy/SKILL.md", manual("tidy", "Better.\n"));
    await write("kept/skills/tidy/more.md", "More.\n");
    await rm(join(service.dir, "kept/skills/tidy/scripts"), { recursive: true });
    assert.match(
      await apply(file, "--dry-run"),
      /^skill\/tidy would be updated\n {2}- files\/SKILL\.md: .*\n {2}\+ files\/SKILL\.md: .*\n {2}\+ files\/more\.md: .*\n {2}- files\/scripts\/run\.sh: .*\n$/,
    );
    assert.equal((await skill("tidy")).latest_version, 1);
    assert.equal(await apply(file), "skill/tidy updated\n");
    assert.equal(await apply(file), "skill/tidy unchanged\n");
    await write(file, "kind: skill\ndirectory: skills/tidy\ndisplay_title: null\nmetadata: { a: b }\n");
    assert.equal(
      await apply(file, "--dry-run"),
      'skill/tidy would be updated\n  - display_title: "Tidy up"\n  + display_title: null\n  + metadata.a: b\n',
    );
    assert.equal(await apply(file), "skill/tidy updated\n");
    const { latest_version, display_title, metadata } = await skill("tidy");
    assert.deepEqual([latest_version, display_title, metadata], [2, null, { a: "b" }]);
    await service.done("skills", "create-version", (await skill("tidy")).id, "kept/skills/tidy");
    assert.equal(await apply(file), "skill/tidy unchanged\n", "whoever uploaded the newest version");
  });

  test("apply: a file that became executable, or is not any more, is a change", async () => {
    await mkdir(join(service.dir, "modes"));
    await write("modes/SKILL.md", manual("modes"));
    await write("modes/tool", "echo tool\n");
    await write("modes/script", "#!/bin/sh\n");
    await write("modes.yaml", "kind: skill\ndirectory: modes\n");
    const mode = (file: string, bits: number) => chmod(join(service.dir, file), bits);
    assert.equal(await apply("modes.yaml"), "skill/modes created\n");
    await mode("modes/tool", 0o755);
    assert.match(
      await apply("modes.yaml", "--dry-run"),
      /^skill\/modes would be updated\n {2}- files\/tool: (sha256:\w+)\n {2}\+ files\/tool: \1:executable\n$/,
    );
    assert.equal(await apply("modes.yaml"), "skill/modes updated\n");
    assert.equal(await apply("modes.yaml"), "skill/modes unchanged\n");
    await mode("modes/tool", 0o644);
    assert.equal(await apply("modes.yaml"), "skill/modes updated\n");
    await mode("modes/script", 0o755);
    assert.equal(await apply("modes.yaml"), "skill/modes unchanged\n", "its interpreter makes it executable");
    assert.equal((await skill("modes")).latest_version, 3);
  });

  test("apply: what is wrong with a skill is told with the line of its directory", async () => {
    await mkdir(join(service.dir, "nameless"));
    await write("nameless/SKILL.md", "---\ndescription: x\n---\n");
    await mkdir(join(service.dir, "blank"));
    await write("blank/SKILL.md", "---\nname: blank\ndescription: ''\n---\n");
    await mkdir(join(service.dir, "empty"));
    const documents = ["none", "empty", "bad.yaml", "nameless", "blank", "5"].map(
      (directory) => `kind: skill\n\ndirectory: ${directory}\n`,
    );
    await write(
      "bad.yaml",
      `${documents.join("---\n")}---\nkind: skill\ndirectory: kept/skills/tidy\ndisplay_title: 5\nsistem: x\n---\nkind: skill\n`,
    );
    const { code, stdout, stderr } = await service.run(["apply", "-f", "bad.yaml"]);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.equal(
      stderr,
      `error: bad.yaml:3, document 1: Cannot read 'none': no such file or directory.
error: bad.yaml:7, document 2: 'empty' has no SKILL.md.
error: bad.yaml:11, document 3: 'bad.yaml' is not a directory.
error: bad.yaml:15, document 4: 'nameless/SKILL.md' has no name in its frontmatter.
error: bad.yaml:19, document 5, skill/blank: Field 'directory' has a SKILL.md with an error in line 3: Field 'description' must not be empty.
error: bad.yaml:23, document 6: Field 'directory' must be a non-empty string.
error: bad.yaml:27, document 7, skill/tidy: Field 'display_title' must be a string.
error: bad.yaml:28, document 7, skill/tidy: Unknown field 'sistem'.
error: bad.yaml:30, document 8: Field 'directory' is required.
Nothing was applied.
`,
    );
  });

  test("apply --prune: removes a skill of the set, but not one that an agent has", async () => {
    for (const name of ["used", "unused"]) {
      await mkdir(join(service.dir, name));
      await write(`${name}/SKILL.md`, manual(name));
    }
    await write("set.yaml", "kind: skill\ndirectory: used\n---\nkind: skill\ndirectory: unused\n");
    await write("other.yaml", "kind: agent\nname: other\nmodel: rehearsal/steps\n");
    assert.equal(await apply("set.yaml", "--set", "team"), "skill/used created\nskill/unused created\n");
    const foreign = await service.run(["apply", "-f", "set.yaml", "--set", "another"]);
    assert.match(foreign.stderr, /skill\/used: The object belongs to the set 'team'\./);
    const { id } = await skill("used");
    const skills = JSON.stringify([{ type: "custom", skill_id: id }]);
    await service.done(
      ...["agents", "create", "-f", "name=by hand", "-f", "model=rehearsal/steps", "-F", `skills=${skills}`],
    );
    const prune = ["apply", "-f", "other.yaml", "--set", "team", "--prune"];
    assert.match(
      await service.done(...prune, "--dry-run"),
      /\nskill\/unused would be removed {2}skill_\w+\nskill\/used would be removed {2}skill_\w+\n$/,
    );
    const { code, stdout, stderr } = await service.run([...prune, "--yes"]);
    assert.equal(code, 1);
    assert.match(stdout, /^agent\/other created {2}\w+\nskill\/unused removed {2}\w+\n$/);
    assert.match(stderr, /^skill\/used was not removed: /);
    assert.deepEqual([await skill("unused"), (await skill("used")).archived_at], [undefined, null]);
  });
});
