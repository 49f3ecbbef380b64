// The subject is the Debian package of script/release under a real systemd: installed, used, killed, frozen, removed, purged.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { bootMachine, type Machine, missingForMachine } from "./machine.ts";

const ROOT = join(import.meta.dirname, "../..");
const skip = missingForMachine() ?? false;

let release: string;
let machine: Machine;

before(async () => {
  if (skip) return;
  release = mkdtempSync(join(tmpdir(), "berth-deb-test-"));
  execFileSync(join(ROOT, "script/release"), [release], { stdio: ["ignore", "ignore", "inherit"] });
  machine = await bootMachine(release);
});
after(async () => {
  if (skip) return;
  await machine.stop();
  rmSync(release, { recursive: true });
});

test("the Debian package: a session in the hardened unit, and what systemd does when the service is killed or frozen", {
  skip,
  timeout: 300_000,
}, async () => {
  const { run } = machine;
  run("dpkg --install /mnt/berth_*.deb");
  assert.match(run("berth --version"), /^\d+\.\d+\.\d+/);
  // `start` ends when the service has said that it is ready.
  run("systemctl start berth");
  assert.equal(run("systemctl is-enabled berth"), "enabled\n");
  assert.equal(run("stat -c '%a %U' /etc/berth/berth.env /var/lib/berth"), "600 root\n700 berth\n");

  const asBerth = "runuser -u berth -- env HOME=/tmp";
  assert.match(doctor(run, asBerth), /ok +isolation_network +(\d+) of \1 probes held/);
  run(`${asBerth} berth token create --user ann@example.com > /tmp/token`);
  assert.match(session(run), /42 in \/data[\s\S]*Done\./);

  const first = mainPid(run);
  run(`kill -KILL ${first}`);
  await until(run, `systemctl is-active --quiet berth && [ "$(${MAIN_PID})" != ${first} ]`);
  assert.match(session(run), /42 in \/data[\s\S]*Done\./);

  const second = mainPid(run);
  const drop = "/run/systemd/system/berth.service.d";
  run(
    `mkdir -p ${drop}; printf '[Service]\\nWatchdogSec=8\\n' > ${drop}/watchdog.conf; systemctl daemon-reload`,
  );
  run("systemctl restart berth");
  const third = mainPid(run);
  assert.notEqual(third, second);
  run(`kill -STOP $(pgrep -P ${third} -f runner-process)`);
  await until(run, `systemctl is-active --quiet berth && [ "$(${MAIN_PID})" != ${third} ]`);
  assert.match(run("journalctl -u berth --no-pager"), /Watchdog timeout/);
  assert.match(session(run), /42 in \/data[\s\S]*Done\./);

  run("systemctl stop berth");
  assert.equal(run("systemctl show berth -P Result"), "success\n");

  run("dpkg --remove berth");
  assert.equal(run("ls /etc/berth /var/lib/berth | head -1; ! test -e /usr/lib/berth"), "/etc/berth:\n");
  run("dpkg --purge berth");
  const left =
    "ls -d /etc/berth /var/lib/berth /var/cache/berth /usr/lib/berth /etc/systemd/system/*/berth.service";
  assert.equal(run(`${left} 2>/dev/null || getent passwd berth || true`), "");
});

const MAIN_PID = "systemctl show berth -P MainPID";

function mainPid(run: Machine["run"]): string {
  return run(MAIN_PID).trim();
}

function doctor(run: Machine["run"], asBerth: string): string {
  return run(`${asBerth} berth doctor || true`);
}

function session(run: Machine["run"]): string {
  const steps = {
    steps: [{ tool: "Bash", input: { command: "echo $((6 * 7)) in $PWD" } }, { say: "Done." }],
  };
  const connection = "--url http://127.0.0.1:4180 --token-file /tmp/token";
  return run(`berth run '${JSON.stringify(steps)}' --model rehearsal/steps ${connection}`);
}

/** Resolves when the condition holds; at most two minutes. */
async function until(run: Machine["run"], condition: string): Promise<void> {
  run(
    `for try in $(seq 1200); do if ${condition}; then exit 0; fi; sleep 0.1; done; systemctl status berth >&2; exit 1`,
  );
}
