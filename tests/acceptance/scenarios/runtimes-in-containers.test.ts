// Runs the scenarios of runtimes and devcontainer.json with sandboxes that are containers: of Docker and of Podman in turn.
import { test } from "node:test";
import { missingForEngine } from "../../container-engine/container-engine.ts";
import { isTodays } from "../../effort/effort.ts";

const kind = isTodays(0, 2) ? "dockerd" : "podman";
const missing = missingForEngine(kind);
if (missing !== null) test(`runtimes in containers of ${kind}`, { skip: missing });
else {
  process.env.TEST_CONTAINERS = kind;
  await import("./runtimes.test.ts");
}
