// Subject: skills of a directory or an archive, created by the command line.
import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { zip } from "../../../../api/test-support/skills.ts";
import { type Installation, sharedInstallation } from "../../../test-support/installation.ts";

let service: Installation;
before(async () => {
  service = await sharedInstallation();
});
after(() => service.stop());

const manual = (name: string, description = "Does things.") =>
  `---\nname: ${name}\ndescription: ${description}\n---\n# How\n`;

async function write(files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(service.dir, path)), { recursive: true });
    await writeFile(join(service.dir, path), content);
  }
}

async function executables(id: string): Promise<[string, boolean][]> {
  const { files } = JSON.parse(await service.done("api", "GET", `/skills/${id}/versions/1`));
  return files.map(({ path, executable }: { path: string; executable: boolean }) => [path, executable]);
}

test("skills create: the bits of a directory's files are kept, and a warning is told", async () => {
  await write({ "one/SKILL.md": manual("one", "d".repeat(1_100)), "one/tool": "\u007fELF", "one/data": "x" });
  await chmod(join(service.dir, "one/tool"), 0o755);
  const { code, stdout, stderr } = await service.run([
    "skills",
    "create",
    "one",
    "--visibility",
    "organization",
    "--json",
  ]);
  assert.deepEqual(
    [code, /^warning: one: The description has 1100 characters/.test(stderr)],
    [0, true],
    stderr,
  );
  assert.equal(JSON.parse(stdout).visibility, "organization");
  assert.deepEqual(await executables(JSON.parse(stdout).id), [
    ["SKILL.md", false],
    ["data", false],
    ["tool", true],
  ]);
});

test("skills create --all: each skill of a directory, and those that are rejected are named", async () => {
  await write({
    "many/README.md": "",
    "many/a/SKILL.md": manual("a"),
    "many/a/notes/x.md": "",
    "many/a/inner/SKILL.md": manual("inner"),
    "many/a/inner/y.md": "",
    "many/deep/er/b/SKILL.md": manual("b", "Use when: asked"),
    "many/bad/SKILL.md": manual("Bad"),
  });
  const alone = await service.run(["skills", "create", "many/a"]);
  assert.equal(alone.code, 1);
  assert.match(alone.stderr, /has the skills '.*SKILL\.md' and '.*SKILL\.md': .*berth skills create --all/);
  const { code, stdout, stderr } = await service.run(["skills", "create", "--all", "many", "--json"]);
  assert.equal(code, 1);
  assert.match(stderr, /^not created: bad: .*line 2: Field 'name' must be/);
  const made = new Map(JSON.parse(stdout).data.map(({ name, id }: Record<string, string>) => [name, id]));
  assert.deepEqual([...made.keys()].toSorted(), ["a", "b", "inner"]);
  assert.deepEqual(
    (await executables(`${made.get("a")}`)).map(([path]) => path),
    ["SKILL.md", "notes/x.md"],
  );
  const none = await service.run(["skills", "create", "--all", "many/a/notes"]);
  assert.deepEqual([none.code, /has no SKILL\.md/.test(none.stderr)], [2, true]);
});

test("skills create --all: each skill of a zip archive, with its bits and without links", async () => {
  const archive = zip([
    { name: "repo/LICENSE", content: "x" },
    { name: "repo/skills/", mode: 0o040755 },
    { name: "repo/skills/zip-a/SKILL.md", content: manual("zip-a") },
    { name: "repo/skills/zip-a/run", content: "\u007fELF", mode: 0o100755 },
    { name: "repo/skills/zip-a/link", content: "/etc/passwd", mode: 0o120777 },
    { name: "__MACOSX/repo/skills/zip-a/._SKILL.md", content: "x" },
    { name: "repo/skills/zip-b/SKILL.md", content: manual("zip-b") },
  ]);
  await writeFile(join(service.dir, "all.zip"), archive);
  const { data } = await service.json("skills", "create", "--all", "all.zip");
  assert.deepEqual(
    data.map(({ name }: { name: string }) => name),
    ["zip-a", "zip-b"],
  );
  assert.deepEqual(await executables(data[0].id), [
    ["SKILL.md", false],
    ["run", true],
  ]);
  await writeFile(join(service.dir, "broken.zip"), archive.subarray(0, 100));
  const outside = zip([{ name: "../SKILL.md", content: manual("c") }]);
  await writeFile(join(service.dir, "outside.zip"), outside);
  for (const path of ["broken.zip", "outside.zip"]) {
    const { code, stderr } = await service.run(["skills", "create", "--all", path]);
    assert.deepEqual([code, /cannot be read as a zip archive/.test(stderr)], [2, true], stderr);
  }
});
