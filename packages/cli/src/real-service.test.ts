// Subject: the command line against a real service.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { berth, startBerth } from "../test-support/berth.ts";

const steps = (...given: object[]) => JSON.stringify({ steps: given });

test("real service: the commands from token to doctor", { timeout: 600_000 }, async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "berth-cli-"));
  const env: Record<string, string> = { BERTH_DATA_DIR: dir };
  const service = startBerth(["serve", "--port", "0", "--log-level", "error"], { env });
  t.after(async () => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) service.child.kill(signal);
    const { code } = await service.ended;
    await rm(dir, { recursive: true, force: true });
    assert.equal(code, 0, "it ends in order, and two signals at once are one");
  });
  const [line] = await once(createInterface({ input: service.child.stdout }), "line");
  assert.match(line, /^berth: listening on http:\/\/127\.0\.0\.1:\d+$/);

  await t.test("bootstrap: prints only the token, which other commands accept", async () => {
    const { code, stdout, stderr } = await berth(["bootstrap", "--user", "me@example.com"], { env });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^berth_pat_[0-9A-Za-z]{46}\n$/);
    env.BERTH_TOKEN = stdout.trim();
    assert.deepEqual(await berth(["sessions", "list"], { env }), { code: 0, stdout: "", stderr: "" });
  });

  await t.test("whoami and status: whose the token is, and whether the service is ready", async () => {
    const who = await berth(["whoami"], { env });
    assert.match(
      who.stdout,
      /^me@example\.com, member of default\ntoken tok_\w+ \(made by the operator\): every scope\nat http:\/\/127\.0\.0\.1:\d+ \(data directory \S+\)\n$/,
    );
    const ready = async () => await berth(["status"], { env });
    while ((await ready()).code !== 0);
    assert.match(
      (await ready()).stdout,
      /^Berth \d\S* at http:\/\/127\.0\.0\.1:\d+ \(data directory \S+\): ready\nme@example\.com, /,
    );
    const { ready: isReady, token } = JSON.parse((await berth(["status", "--json"], { env })).stdout);
    assert.deepEqual([isReady, token.user.email], [true, "me@example.com"]);
  });

  await t.test("bootstrap: narrow scopes → exit code 4 later; unknown scopes → exit code 2", async () => {
    const narrow = ["bootstrap", "--user", "me@example.com", "--scopes"];
    const { stdout } = await berth([...narrow, "files:read"], { env });
    const refused = await berth(["sessions", "list"], { env: { ...env, BERTH_TOKEN: stdout } });
    assert.deepEqual([refused.code, /sessions:read/.test(refused.stderr)], [4, true]);
    assert.equal((await berth([...narrow, "files:raed"], { env })).code, 2);
  });

  await t.test("run: an error names the flag or variable that set the field", async () => {
    const task = steps({ say: "Never." });
    const refusal = async (flags: string[], more = {}) =>
      /field: .*/.exec((await berth(["run", task, ...flags], { env: { ...env, ...more } })).stderr)?.[0];
    assert.equal(await refusal(["--model", "nobody/x"]), "field: model, set by --model");
    assert.equal(await refusal([], { BERTH_MODEL: "nobody/x" }), "field: model, set by BERTH_MODEL");
    const own = ["--model", "rehearsal/steps"];
    assert.equal(
      await refusal([...own, "--environment", "x"]),
      "field: environment_id, set by --environment",
    );
    assert.equal(
      await refusal([...own, "--repo", "https://github.com/a/b", "--commit", "x"]),
      "field: resources[0].checkout.sha, set by --commit",
    );
  });

  await t.test("run: shows what the sandbox did and archives the session", async () => {
    const task = steps({ tool: "Bash", input: { command: "echo from the sandbox" } }, { say: "All done." });
    const { code, stdout, stderr } = await berth(["run", task, "--model", "rehearsal/steps"], { env });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Bash {2}echo from the sandbox\n {2}│ from the sandbox\n\nAll done\.\n\ndone · /);
    const list = JSON.parse((await berth(["sessions", "list", "--archived", "--json"], { env })).stdout);
    assert.deepEqual([list.data.length, list.data[0].archived_at !== null], [1, true]);
  });

  await t.test("run: Ctrl-C → ends the command in the sandbox, exit code 130, in the log", async () => {
    const task = steps({ say: "Now I wait." }, { tool: "Bash", input: { command: "sleep 60" } });
    const { child, ended } = startBerth(["run", task, "--json"], { env });
    let id = "";
    for await (const text of createInterface({ input: child.stdout })) {
      const event = JSON.parse(text);
      if (event.type === "session") id = event.id;
      if (event.type === "agent.tool_use") child.kill("SIGINT");
    }
    assert.equal((await ended).code, 130);
    const { stdout } = await berth(["sessions", "logs", id], { env });
    assert.match(stdout, /Now I wait\.\n[\s\S]*\ninterrupt\n[\s\S]*\ninterrupted · /);
  });

  await t.test("sessions send: a session kept open → the turn is in its log", async () => {
    const first = await berth(["run", steps({ say: "One." }), "--keep", "--json"], { env });
    const { id } = JSON.parse(first.stdout.split("\n")[0] ?? "");
    const { child, ended } = startBerth(["sessions", "logs", "-f", id], { env });
    createInterface({ input: child.stdout }).on("line", (text) => {
      if (text === "Two.") child.kill("SIGINT");
    });
    const sent = await berth(["sessions", "send", id, steps({ say: "Two." })], { env });
    assert.match(sent.stdout, /^evt_\w{26}\n$/);
    assert.equal((await ended).code, 130);
  });

  await t.test("doctor: one line per capability; exit code 1 only if one is missing", async () => {
    const { code, stdout } = await berth(["doctor", "--json"], { env });
    const { ok, capabilities } = JSON.parse(stdout);
    assert.equal(code, ok ? 0 : 1);
    assert.equal(
      ok,
      capabilities.every(({ state }: { state: string }) => state !== "no"),
    );
    const states = new Map(
      capabilities.map(({ name, state }: { name: string; state: string }) => [name, state]),
    );
    for (const name of ["settings", "data_directory", "database"])
      assert.equal(states.get(name), "yes", name);
    assert.equal(states.size, capabilities.length, "no line comes twice");
    const table = await berth(["doctor"], { env: { ...env, BERTH_PORT: "none" } });
    assert.deepEqual([table.code, /^missing +settings +BERTH_PORT/.test(table.stdout)], [1, true]);
  });
});

test("doctor: a directory without an installation → examined, and left as it is", {
  timeout: 600_000,
}, async (t) => {
  const empty = await mkdtemp(join(tmpdir(), "berth-doctor-"));
  t.after(() => rm(empty, { recursive: true, force: true }));
  for (const args of [
    ["doctor", "--json"],
    ["doctor", "--json", "--data-dir", join(empty, "not/yet")],
  ]) {
    const { stdout } = await berth(args, { cwd: empty });
    const { capabilities } = JSON.parse(stdout);
    const states = new Map(capabilities.map(({ name, state }: Record<string, string>) => [name, state]));
    for (const name of ["settings", "data_directory", "database"])
      assert.equal(states.get(name), "yes", stdout);
    assert.deepEqual(await readdir(empty), []);
  }
});

test("serve: invalid settings → all are reported, exit code 2; each setting has a line of help", async () => {
  const { code, stderr } = await berth(["serve", "--port", "x", "--sandbox", "y"]);
  assert.equal(code, 2);
  assert.match(stderr, /--port[\s\S]*--sandbox/);
  const { stdout } = await berth(["serve", "--help"]);
  assert.doesNotMatch(stdout, /<value>/);
  assert.match(stdout, /--data-dir <dir>/);
});
