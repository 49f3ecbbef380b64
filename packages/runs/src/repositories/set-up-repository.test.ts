import assert from "node:assert/strict";
import { test } from "node:test";
import type { SetupFailure } from "@berth/sandbox";
import { NOTHING_READ } from "../../test-support/devcontainer.ts";
import { placementAfterSetup } from "./set-up-repository.ts";

const repository = { url: "https://git.example/acme/app" };
const placed = { commit: "a".repeat(40) };
const failure = {
  why: "it ended with exit code 2",
  output: "no secret-value, no variable-value, no file-value",
};

function after(outcome: SetupFailure | "stopped" | null, isRequired = false) {
  const context = {
    session: {
      repositorySetup: { script: "make", isRequired },
      devcontainer: {
        ...{ repository: "one", variables: { LEVEL: "file-value" }, script: null },
        ...{ image: null, shown: NOTHING_READ },
      },
      variables: { LEVEL: "variable-value" },
    },
    mask: (text: string) => text.replace("secret-value", "[redacted]"),
  };
  return placementAfterSetup(context, repository, placed, outcome);
}

test("placementAfterSetup: success → in place; the sandbox ended meanwhile → it stays unplaced", () => {
  assert.equal(after(null), placed);
  assert.equal(after("stopped"), "later");
});

test("placementAfterSetup: a failure → in place, and why it is not set up, without secrets", () => {
  const placement = after(failure);
  assert.ok(placement !== "later" && !("fault" in placement));
  assert.equal(placement.commit, placed.commit);
  assert.match(placement.unprepared ?? "", /code 2\. The end of its output:\n(no \[redacted\](, |$)){3}/);
});

test("placementAfterSetup: a failure of a required script → a fault, without secrets", () => {
  const placement = after(failure, true);
  assert.ok(placement !== "later" && "fault" in placement);
  assert.equal(placement.fault.type, "environment_error");
  assert.match(placement.fault.message, /(no \[redacted\](, |$)){3}/);
});
