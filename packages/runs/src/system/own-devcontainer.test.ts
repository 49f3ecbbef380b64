import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "@berth/contract";
import { type DevcontainerRules, readOwnDevcontainer, withoutImage } from "./own-devcontainer.ts";

const TEXT = JSON.stringify({
  image: "debian:13",
  features: { "ghcr.io/devcontainers/features/node:1": {} },
  containerEnv: { TOKEN: "secret-value" },
  mounts: [],
});

function read(rules: Partial<DevcontainerRules>) {
  const files = [{ file: ".devcontainer.json", content: { text: TEXT } }];
  const all = { hasRuntimes: true, runsImages: true, image: null, ...rules };
  return readOwnDevcontainer({ id: newUuid(), files, mountPath: "/data/app" }, all);
}

test("readOwnDevcontainer: what the installation or the environment rules out is named with the reason", () => {
  const outcome = (rules: Partial<DevcontainerRules>) => {
    const { image, honoured, not_honoured: not } = read(rules).shown;
    return [image, honoured, not.map(({ property, reason }) => `${property}: ${reason}`)];
  };
  const mounts = "mounts: a repository may not choose what the sandbox sees";
  assert.deepEqual(outcome({}), ["debian:13", ["features", "image", "containerEnv"], [mounts]]);
  assert.deepEqual(outcome({ runsImages: false, image: null }), [
    null,
    ["features", "containerEnv"],
    ["image: the sandbox engine of this installation does not run container images", mounts],
  ]);
  assert.deepEqual(outcome({ hasRuntimes: false, image: "other" }), [
    null,
    ["containerEnv"],
    [
      "features: the sandboxes of this installation have the programs of their image",
      "image: the environment names another one",
      mounts,
    ],
  ]);
});

test("readOwnDevcontainer: clients are shown the names of variables, and no value", () => {
  const { shown, variables } = read({});
  assert.deepEqual([shown.environment_variable_names, variables], [["TOKEN"], { TOKEN: "secret-value" }]);
  assert.doesNotMatch(JSON.stringify(shown), /secret-value/);
});

test("withoutImage: the image is named first, and the rest stays", () => {
  const { shown } = read({});
  const { image, honoured, not_honoured: not, ...rest } = withoutImage(shown, "it is away");
  assert.deepEqual([image, honoured], [null, ["features", "containerEnv"]]);
  assert.deepEqual(not, [{ property: "image", reason: "it is away" }, ...shown.not_honoured]);
  const { image: _image, honoured: _honoured, not_honoured: _not, ...before } = shown;
  assert.deepEqual(rest, before);
});
