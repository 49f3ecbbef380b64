import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import { type Installation, sharedInstallation } from "../../../test-support/installation.ts";
import { openTerminal } from "../../../test-support/terminal.ts";

const WITHIN = { timeout: 600_000 };
/** Milliseconds to wait without any output. */
const PATIENCE_MS = 100_000;

let service: Installation;
let asking: string;
let environment: string;
before(async () => {
  service = await sharedInstallation();
  const toolset = {
    type: "agent_toolset_20260401",
    configs: [{ name: "Bash", permission_policy: { type: "always_ask" } }],
  };
  const agent = ["agents", "create", "-f", "name=asks", "-f", "model=rehearsal/steps"];
  asking = (await service.json(...agent, "-F", `tools=${JSON.stringify([toolset])}`)).id;
  environment = (await service.json("environments", "create", "-f", "name=asks")).id;
});
after(() => service.stop());

const steps = (...list: object[]) => JSON.stringify({ steps: list });
const bash = (command: string) => ({ tool: "Bash", input: { command } });

/** Collects the output of a child, and can wait for some of it. */
function attach(t: TestContext, id: string, ...flags: string[]) {
  const { child, lines } = service.follow("sessions", "attach", id, ...flags);
  t.after(() => child.kill("SIGKILL"));
  let output = "";
  const waits: Array<() => void> = [];
  const add = (text: string) => {
    output += text;
    for (const wake of waits.splice(0)) wake();
  };
  lines.on("line", (line) => add(`${line}\n`));
  child.stderr?.setEncoding("utf8").on("data", add);
  const closed = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  return {
    child,
    closed,
    type: (line: string) => child.stdin?.write(`${line}\n`),
    async until(pattern: RegExp): Promise<void> {
      while (!pattern.test(output)) {
        if (child.exitCode !== null) assert.fail(`it ended:\n${output}`);
        const timer = setTimeout(() => assert.fail(`not in the output: ${pattern}\n${output}`), PATIENCE_MS);
        await new Promise<void>((resolve) => waits.push(resolve)).finally(() => clearTimeout(timer));
      }
    },
    output: () => output,
  };
}

test(
  "run --detach prints the id; attach shows what goes on, sends, allows, denies and interrupts",
  WITHIN,
  async (t) => {
    const task = steps(bash("echo allowed"), bash("echo denied"), { say: "First turn over." });
    const started = await service.done(
      "run",
      "--detach",
      task,
      "--agent",
      asking,
      "--environment",
      environment,
    );
    assert.match(started, /^sess_\w+\n$/);
    const id = started.trim();
    const attached = attach(t, id, "--from-start");
    await attached.until(/type a message/);
    await attached.until(/waiting for you/);
    attached.type("/always echo allowed");
    await attached.until(/always allowed in this session by \S+: Bash: echo allowed …/);
    await attached.until(/│ allowed[\s\S]*waiting for you/);
    attached.type("/deny Not today.");
    await attached.until(/Not today\.[\s\S]*First turn over\.[\s\S]*done · /);
    attached.type("/allow");
    await attached.until(/No tool call that was shown is waiting/);
    attached.type("/dance");
    await attached.until(/There is no command \/dance/);
    attached.type(steps(bash("sleep 60"), { say: "never" }));
    await attached.until(/sleep 60[\s\S]*waiting for you/);
    attached.type("/allow");
    attached.type("/interrupt");
    await attached.until(/interrupted/i);
    attached.child.kill("SIGINT");
    assert.equal(await attached.closed, 1, "two lines of a pipe were refused");
    assert.match(
      attached.output(),
      new RegExp(`Detached\\. The session continues; to attach again: berth sessions attach ${id}`),
    );
    assert.doesNotMatch(attached.output(), /never/);
  },
);

test("attach: tells what waits already, and detaches at the end of the input", WITHIN, async (t) => {
  const task = steps(bash("echo later"), { say: "Over." });
  const id = (await service.done("run", "-d", task, "--agent", asking, "--environment", environment)).trim();
  const first = attach(t, id, "--from-start", "--json");
  await first.until(/^\{.*"type":"session\.status_idle".*\}$/m);
  first.child.stdin?.end();
  assert.equal(await first.closed, 0);
  const second = attach(t, id);
  await second.until(/Waiting for you: echo later/);
  second.type("/allow");
  await second.until(/Over\.[\s\S]*done · /);
  second.type("/detach");
  assert.equal(await second.closed, 0);
  const { code, stderr } = await service.run(["sessions", "attach", "sess_00000000000000000000000000"]);
  assert.deepEqual([code !== 0, /^error: /.test(stderr)], [true, true]);
});

test("attach: a message that begins like a command is a message, and allows nothing", WITHIN, async (t) => {
  const task = steps(bash("echo never allowed"), { say: "Over." });
  const id = (await service.done("run", "-d", task, "--agent", asking, "--environment", environment)).trim();
  const attached = attach(t, id, "--from-start");
  await attached.until(/waiting for you/);
  attached.type("/allow-list is missing in nginx.conf");
  attached.type("/allow the first one");
  await attached.until(/\/allow takes no text\. Nothing was sent\./);
  attached.type("/detach");
  assert.equal(await attached.closed, 1, "a line of a pipe was refused");
  const quiet = attach(t, id, "--quiet");
  quiet.type("/allow");
  await quiet.until(/No tool call that was shown is waiting/);
  quiet.child.stdin?.end();
  assert.equal(await quiet.closed, 1);
  assert.equal(quiet.output(), "No tool call that was shown is waiting for a confirmation.\n");
  const { data } = JSON.parse(await service.done("api", "GET", `/sessions/${id}/events`, "-q", "limit=100"));
  const sent = (type: string) => data.filter((event: { type: string }) => event.type === type);
  const results = sent("user.tool_confirmation").map(({ result }: { result: string }) => result);
  assert.deepEqual(results, []);
  assert.match(JSON.stringify(sent("user.message")), /allow-list is missing/);
});

test(
  "attach on a terminal: live, allows, sends and interrupts; Ctrl-C detaches, and the turn goes on",
  WITHIN,
  async (t) => {
    const task = steps(bash("echo from the first"), { say: "First over." });
    const id = (
      await service.done("run", "-d", task, "--agent", asking, "--environment", environment)
    ).trim();
    const { env, dir: cwd } = service;
    const terminal = openTerminal(t, ["sessions", "attach", id, "--from-start"], { env, cwd });
    await terminal.until(/waiting for you/);
    terminal.type("/allow\n");
    await terminal.until(/│ from the first[\s\S]*First over\.[\s\S]*done · /);
    terminal.type(`${steps(bash("sleep 61"), { say: "never" })}\n`);
    await terminal.until(/sleep 61[\s\S]*waiting for you[\s\S]*/);
    terminal.type("/interrupt\n");
    await terminal.until(/interrupted/i);
    terminal.type(`${steps(bash("sleep 62"), { say: "never" })}\n`);
    await terminal.until(/Bash {2}sleep 62[\s\S]*waiting for you/);
    terminal.type("\u0003");
    const { code, output } = await terminal.ended;
    assert.equal(code, 0, output);
    assert.match(output, /Detached\. The session continues; to attach again: berth sessions attach sess_/);
    const { data } = JSON.parse(
      await service.done("api", "GET", `/sessions/${id}/events`, "-q", "order=desc", "-q", "limit=1"),
    );
    assert.equal(data[0].stop_reason?.type, "requires_action", "the call still waits");
    await service.done("sessions", "interrupt", id);
  },
);
