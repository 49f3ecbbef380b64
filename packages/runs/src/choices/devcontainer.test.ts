import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { imageName } from "@berth/contract";
import fc from "fast-check";
import { type Devcontainer, readDevcontainer } from "./devcontainer.ts";

const read = (value: unknown): Devcontainer => {
  const found = readDevcontainer(JSON.stringify(value), "/data/app");
  assert.ok(typeof found !== "string");
  return found;
};

test("commands: a text is for a shell, a list is a program, an object runs side by side; the first that fails ends all", () => {
  const output = (value: object) => {
    try {
      return execFileSync("/bin/sh", ["-e"], { input: `${read(value).script}\necho end`, encoding: "utf8" });
    } catch (error) {
      return `${(error as { stdout: string }).stdout}${(error as { status: number }).status}`;
    }
  };
  assert.equal(output({ onCreateCommand: "echo 'a  b' && echo $((1+1))" }), "a  b\n2\nend\n");
  assert.equal(output({ postCreateCommand: ["echo", "a  b", "$HOME", "it's"] }), "a  b $HOME it's\nend\n");
  assert.equal(
    output({ postCreateCommand: "echo c", onCreateCommand: "echo a", updateContentCommand: "echo b" }),
    "a\nb\nc\nend\n",
  );
  assert.equal(output({ onCreateCommand: "exit 4", postCreateCommand: "echo c" }), "4");
  const sides = output({
    onCreateCommand: { one: "echo a", other: ["sh", "-c", "exit 5"] },
    postCreateCommand: "echo c",
  });
  assert.equal(sides, "a\n5");
  assert.equal(output({ onCreateCommand: { one: "true", other: ["true"] } }), "end\n");
  assert.equal(read({ onCreateCommand: "", postCreateCommand: null }).script, null);
  for (const wrong of [1, [], [1], {}, { a: [] }, ["a\0b"], true])
    assert.deepEqual(read({ onCreateCommand: wrong }).notHonoured, [
      { property: "onCreateCommand", reason: "it is no command" },
    ]);
  assert.equal(read({ onCreateCommand: "x".repeat(70_000) }).script, null);
});

/** A reference as a file has it. */
const ref = (text: string) => `$\{${text}}`;

test("references: those of the sandbox are replaced, those to elsewhere become empty and are told", () => {
  const { variables, notHonoured } = read({
    containerEnv: { HERE: `${ref("containerWorkspaceFolder")}/a`, NAME: ref("localWorkspaceFolderBasename") },
    remoteEnv: {
      BOTH: `${ref("containerEnv:HERE")}:${ref("containerEnv:PATH")}`,
      USUAL: ref("localEnv:A:b"),
      NONE: ref("localEnv:SECRET"),
      OTHER: `${ref("unknown")} $HOME`,
    },
  });
  assert.deepEqual(variables, {
    ...{ HERE: "/data/app/a", NAME: "app", BOTH: "/data/app/a:", USUAL: "b", NONE: "" },
    OTHER: `${ref("unknown")} $HOME`,
  });
  assert.deepEqual(
    notHonoured.map(({ reason }) => reason),
    [`'${ref("containerEnv:PATH")}' has no value here`, `'${ref("localEnv:SECRET")}' has no value here`],
  );
});

test("image: a name with its references replaced is followed, with tag, digest and port; another is told", () => {
  const digest = `sha256:${"a1".repeat(32)}`;
  for (const [given, expected] of [
    ["debian", "debian"],
    ["mcr.example/devcontainers/base:1-bookworm", "mcr.example/devcontainers/base:1-bookworm"],
    [`localhost:5000/acme/dev_1:v1@${digest}`, `localhost:5000/acme/dev_1:v1@${digest}`],
    [`debian:${ref("localEnv:VARIANT:bookworm")}`, "debian:bookworm"],
  ]) {
    const { image, honoured, notHonoured } = read({ image: given });
    assert.deepEqual([image, honoured, notHonoured], [expected, ["image"], []]);
  }
  const form = "it must be the name of an image, such as 'debian:bookworm'";
  for (const [given, ...reasons] of [
    [1, "it is no text"],
    [null, "it is no text"],
    ["", form],
    ["Debian", form],
    ["debian bookworm", form],
    ["--privileged", form],
    ["https://registry.example/a", form],
    [`debian@sha256:${"a".repeat(63)}`, form],
    ["a".repeat(300), form],
    [ref("unknown"), form],
    [`deb${ref("localEnv:NONE")}ian`, `'${ref("localEnv:NONE")}' has no value here`],
    [`debian:${ref("containerEnv:TAG")}`, `'${ref("containerEnv:TAG")}' has no value here`],
  ]) {
    const { image, honoured, notHonoured } = read({ image: given, containerEnv: { TAG: "1" } });
    const told = notHonoured.map(({ property, reason }) => [property, reason]);
    assert.deepEqual([image, honoured, told], [null, ["containerEnv"], reasons.map((one) => ["image", one])]);
  }
  for (const builder of ["build", "dockerFile", "dockerComposeFile"]) {
    const { image, notHonoured } = read({ image: "debian", [builder]: "x" });
    assert.equal(image, null);
    assert.deepEqual(
      notHonoured.map(({ property }) => property),
      [builder, "image"],
    );
  }
});

test("variables that Berth sets itself, that are no texts or too many are told and left out", () => {
  const { variables, notHonoured } = read({
    containerEnv: { PATH: "/x", "a b": "c", NUMBER: 1, OFF: null, GOOD: "1" },
    remoteEnv: [],
  });
  assert.deepEqual(variables, { GOOD: "1" });
  assert.equal(notHonoured.length, 5);
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`V${index}`, "1"]));
  assert.equal(Object.keys(read({ containerEnv: many }).variables).length, 100);
});

test("whatever the file holds, nothing is thrown, and each property is followed, named with its reason, or has no effect", () => {
  const properties = [
    "features",
    "containerEnv",
    "remoteEnv",
    "forwardPorts",
    "onCreateCommand",
    "image",
    "mounts",
    "__proto__",
  ];
  const value = fc.dictionary(fc.oneof(fc.constantFrom(...properties), fc.string()), fc.jsonValue(), {
    maxKeys: 8,
  });
  fc.assert(
    fc.property(value, (given) => {
      const { variables, script, forwardPorts, image, honoured, notHonoured } = read(given);
      assert.equal(image !== null, honoured.includes("image"));
      const isTold = notHonoured.length === 50 || notHonoured.some(({ property }) => property === "image");
      assert.ok(image === null ? !("image" in given) || isTold : imageName.safeParse(image).success);
      assert.ok(Object.values(variables).every((one) => typeof one === "string"));
      assert.ok(script === null || !script.includes("\0"));
      assert.ok(forwardPorts.every((port) => Number.isInteger(port) && port > 0 && port < 65_536));
      assert.ok(honoured.every((one) => one in given));
      assert.ok(notHonoured.length <= 50);
      for (const { property, reason } of notHonoured)
        assert.ok(property.length <= 101 && !/\p{C}/u.test(reason));
    }),
  );
  for (const text of ["", "[]", "null", "{", '{"a":'.repeat(50_000), "/*", "\0"])
    assert.equal(typeof readDevcontainer(text, "/data/app"), "string");
});

test("readDevcontainer: half a character that is written as an escape can be stored", () => {
  const text = String.raw`{"containerEnv": {"A": "a\ud800", "B": "\u0000"}, "postCreateCommand": ["echo", "\udc00"], "image": "\ud83d"}`;
  assert.equal(text.isWellFormed(), true);
  const read = readDevcontainer(text, "/data/app");
  assert.ok(typeof read !== "string");
  assert.deepEqual(read.variables, { A: "a\uFFFD" });
  for (const one of [read.script ?? "", ...read.notHonoured.map(({ reason }) => reason)])
    assert.ok(one.isWellFormed(), one);
});
