import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { manifestFaults, mentionFaults, versionFaults } from "./check-versions.ts";

test("versions: a package has the repository's, and depends on exactly that one of the others", () => {
  const engines = { node: ">=24" };
  const dependencies = { "@berth/linux": "1.2.3", zod: "4.0.0" };
  assert.deepEqual(manifestFaults("a", { version: "1.2.3", engines, dependencies }, "1.2.3"), []);
  assert.deepEqual(
    manifestFaults("a", { version: "1.2.2", dependencies: { "@berth/linux": "*" } }, "1.2.3"),
    [
      "a: the version should be 1.2.3.",
      "a: engines.node should be >=24.",
      "a: the version of @berth/linux should be 1.2.3.",
    ],
  );
  assert.deepEqual(
    manifestFaults("a", { version: "1.2.3", engines, devDependencies: { "@berth/sdk": "^1.2.3" } }, "1.2.3"),
    ["a: the version of @berth/sdk should be 1.2.3."],
  );
});

test("versions: guides, chart and images name the files and images of this release", () => {
  const mentions = [
    "script/release release/1.2.2",
    "apt install ./berth_1.2.2_amd64.deb",
    "docker push registry.example.com/berth:1.2.2",
    "image: registry.example.com/berth-sandbox:1.2.2",
    "tar -xzf berth-manifests-1.2.2.tgz",
    "newTag: 1.2.2",
    "appVersion: 1.2.2",
  ];
  for (const text of mentions) {
    assert.match(
      mentionFaults("a", text, "1.2.3").join(),
      /^a: the version of '.*1\.2\.2' should be 1\.2\.3\.$/,
    );
    assert.deepEqual(mentionFaults("a", text, "1.2.2"), []);
  }
  assert.equal(mentionFaults("a", mentions.join("\n"), "1.2.3").length, mentions.length);
  const others = "postgres:17, git 2.39.5, 10.1.0.0/16, image: { tag: latest }, kubeVersion: >=1.30.0-0";
  assert.deepEqual(mentionFaults("a", others, "1.2.3"), []);
});

test("this repository's packages, lockfile and changelog have one version", () => {
  assert.deepEqual(versionFaults(join(import.meta.dirname, "..")), []);
});
