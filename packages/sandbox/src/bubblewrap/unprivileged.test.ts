// Subject: the conformance suite on the bubblewrap engine, in a process that is not root.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chownSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const NOBODY = 65534;
const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));

test("without root, and without a way to gain privileges: the engine passes the conformance suite", {
  skip: process.getuid?.() !== 0 && "this is not root",
  timeout: 600_000,
}, () => {
  const directory = mkdtempSync(join(tmpdir(), "berth-unprivileged-"));
  try {
    chownSync(directory, NOBODY, NOBODY);
    copyPackage(directory);
    const { status, stdout, stderr } = spawnSync(
      "setpriv",
      [
        `--reuid=${NOBODY}`,
        `--regid=${NOBODY}`,
        "--clear-groups",
        "--no-new-privs",
        `${directory}/node`,
        "--test",
        "--test-reporter=tap",
        `${directory}/sandbox/src/bubblewrap/bubblewrap.test.ts`,
      ],
      {
        cwd: directory,
        encoding: "utf8",
        env: { PATH: process.env.PATH, TMPDIR: directory, HOME: directory },
      },
    );
    assert.equal(
      status,
      0,
      `${stdout
        .split("\n")
        .filter((line) => /not ok|error:/.test(line))
        .join("\n")}\n${stderr}`,
    );
    assert.match(stdout, /^# pass (?:[3-9]\d|\d{3})$/m);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

/** Copies the packages, because other uids may not be able to read the checkout. */
function copyPackage(directory: string): void {
  cpSync(process.execPath, `${directory}/node`);
  mkdirSync(`${directory}/node_modules/@berth`, { recursive: true });
  mkdirSync(`${directory}/node_modules/@vscode`);
  for (const name of ["concurrency", "linux", "egress", "sandbox"]) {
    cpSync(join(PACKAGE, "..", name), `${directory}/${name}`, { recursive: true });
    symlinkSync(`${directory}/${name}`, `${directory}/node_modules/@berth/${name}`);
  }
  for (const name of ["fast-check", "pure-rand"]) {
    const source = realpathSync(join(PACKAGE, "../../node_modules", name));
    cpSync(source, `${directory}/node_modules/${name}`, { recursive: true });
  }
  for (const name of ["ripgrep", `ripgrep-${process.platform}-${process.arch}`]) {
    const source = realpathSync(join(PACKAGE, "../../node_modules/@vscode", name));
    cpSync(source, `${directory}/node_modules/@vscode/${name}`, { recursive: true });
  }
}
