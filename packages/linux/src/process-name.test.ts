import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { processName, stateOfProcess, thisProcess } from "./process-name.ts";

test("stateOfProcess: this process is alive; another start, or a pid that nobody has, is dead", () => {
  const [machine, pid, started] = thisProcess().split(".");
  assert.equal(stateOfProcess(thisProcess()), "alive");
  assert.equal(stateOfProcess(processName("suffix.more")), "alive");
  assert.equal(stateOfProcess([machine, pid, Number(started) - 1].join(".")), "dead");
  assert.equal(stateOfProcess([machine, spawnSync("true").pid, started].join(".")), "dead");
});

test("stateOfProcess: the same pid and start on another machine, or in another pid namespace → elsewhere", (t) => {
  const [, pid, started] = thisProcess().split(".");
  assert.equal(stateOfProcess(["0123456789ab", pid, started].join(".")), "elsewhere");
  if (process.getuid?.() !== 0) return t.skip("needs root");
  const module = JSON.stringify(import.meta.resolve("./process-name.ts"));
  const program = `import { thisProcess } from ${module}; console.log(thisProcess());`;
  const { stdout } = spawnSync(
    "unshare",
    ["--pid", "--fork", "--mount-proc", process.execPath, "--input-type=module", "--eval", program],
    { encoding: "utf8" },
  );
  assert.match(stdout, /^[0-9a-f]{12}\.1\.\d+\n$/);
  assert.equal(stateOfProcess(stdout.trim()), "elsewhere");
});

test("stateOfProcess: other names are no process's", () => {
  for (const name of ["", "groups", "4711-99", "1.2.3", "0123456789ab.x.3"])
    assert.equal(stateOfProcess(name), null, name);
});
