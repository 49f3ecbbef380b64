import assert from "node:assert/strict";
import { test } from "node:test";
import type { SkillVersion } from "@berth/sdk";
import { changesBetween, pickedFiles, uploadOf } from "./skill-files.ts";

const file = (name: string) => ({ name, content: new Blob(["x"]) });

test("one archive is sent as it is, files by their paths", () => {
  const archive = file("triage.ZIP");
  assert.equal(uploadOf([archive]), archive);
  const files = [file("triage/SKILL.md"), file("triage/data.zip")];
  assert.equal(uploadOf(files), files);
  const [only] = [file("SKILL.md")];
  assert.deepEqual(uploadOf([only]), [only]);
});

test("picked directories keep their paths, without what computers put there", () => {
  const picked = ["triage/SKILL.md", "triage/.DS_Store", "triage/.git/config", "triage/.github/x"].map(
    (path) =>
      Object.defineProperty(new File(["x"], path.split("/").at(-1) ?? ""), "webkitRelativePath", {
        value: path,
      }),
  );
  assert.deepEqual(
    pickedFiles(picked).map(({ name }) => name),
    ["triage/SKILL.md", "triage/.github/x"],
  );
  assert.equal(pickedFiles([new File(["x"], "a.zip")])[0]?.name, "a.zip");
});

test("the differences between two versions: files with another hash or mode", () => {
  const version = (files: object[]) => ({ files }) as unknown as SkillVersion;
  const one = (path: string, content_sha256: string, more: object = {}) => ({
    path,
    content_sha256,
    size_bytes: 1,
    executable: false,
    ...more,
  });
  const before = version([one("a", "1"), one("b", "1"), one("d", "1"), one("e", "1")]);
  const after = version([one("a", "1"), one("b", "2"), one("e", "1", { executable: true }), one("f", "1")]);
  assert.deepEqual(changesBetween(before, after), [
    { path: "b", kind: "changed" },
    { path: "e", kind: "changed" },
    { path: "f", kind: "added" },
    { path: "d", kind: "removed" },
  ]);
});
