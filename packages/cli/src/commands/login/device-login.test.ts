// Subject: login --device, login approve, and admin login.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, type TestContext, test } from "node:test";
import { berth, startBerth } from "../../../test-support/berth.ts";
import { type Installation, startInstallation } from "../../../test-support/installation.ts";
import { openTerminal } from "../../../test-support/terminal.ts";

const WITHIN = { timeout: 120_000 };
const CODE = /[B-Z]{4}-[B-Z]{4}/;

let service: Installation;
let url: string;
before(async () => {
  service = await startInstallation();
  url = (await service.json("status")).url;
});
after(() => service.stop());

/** Returns the environment of a user's machine without an installation. */
function machine(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), "berth-device-"));
  t.after(() => rmSync(home, { recursive: true }));
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, "config") };
  const run = (args: string[]) => berth(args, { env, cwd: home });
  /** Starts a login that shows its code and waits. */
  const login = async (at: string, ...args: string[]) => {
    const { child, ended } = startBerth(["login", at, "--device", ...args], { env, cwd: home });
    t.after(() => child.kill("SIGKILL"));
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stderr })) {
      lines.push(line);
      if (line.startsWith("Waiting")) break;
    }
    const code = CODE.exec(lines[0] ?? "")?.[0] ?? assert.fail(lines.join("\n"));
    return { child, ended, code, lines };
  };
  return { home, env, run, login, file: join(home, "config/berth/contexts.json") };
}

test("login --device: shows the code, waits, and stores what login stores", WITHIN, async (t) => {
  const { run, login, file, env, home } = machine(t);
  const { ended, code, lines } = await login(url, "--scopes", "tokens:read", "--name", "work");
  assert.equal(
    lines[1],
    `Open ${url}/console/device?code=${code}, or where somebody is logged in to ${url}, run: berth login approve ${code}`,
  );
  const approved = await service.run(["login", "approve", code.toLowerCase()]);
  assert.equal(approved.code, 0, approved.stderr);
  assert.match(
    approved.stderr,
    /^requested by: berth login of \S+\nfrom: {5}127\.0\.0\.1\nfor: {6}tokens:read\n/,
  );
  assert.equal(approved.stdout, "Approved, for tokens:read. The device gets its token within seconds.\n");
  const { code: status, stdout } = await ended;
  assert.equal(status, 0);
  assert.match(
    stdout,
    /^Logged in to http:\S+ as context 'work'[\s\S]*owner@example\.com[\s\S]*: tokens:read\n$/,
  );
  const { token } = JSON.parse(readFileSync(file, "utf8")).contexts.work;
  assert.ok(!stdout.includes(token));
  assert.match((await run(["whoami"])).stdout, /^owner@example\.com/);
  assert.equal((await run(["agents", "list"])).code, 4, "it may do what was asked for");
  const [listed] = (await service.json("tokens", "list")).data;
  assert.match(listed.name, /^berth login of /);
  const out = await run(["logout", "--revoke"]);
  assert.deepEqual([out.code, out.stderr], [0, ""]);
  assert.match(out.stdout, /The token is revoked/);
  const after = await berth(["whoami", "--url", url], { env: { ...env, BERTH_TOKEN: token }, cwd: home });
  assert.match(after.stderr, /was revoked/);
  const again = await service.run(["login", "approve", code]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /No login waits for this code/);
});

test("login approve --deny, --scopes and questions on a terminal", WITHIN, async (t) => {
  const { run, login, file, home } = machine(t);
  const one = await login(url);
  const terminal = openTerminal(t, ["login", "approve", one.code], { env: service.env, cwd: "/" });
  await terminal.until(/requested by: [\s\S]*every scope[\s\S]*Give it a token of yours\? \[y\/N\] /);
  terminal.type("n\r");
  assert.match((await terminal.ended).output, /Nothing was changed/);
  const denied = await service.run(["login", "approve", one.code, "--deny", "--yes"]);
  assert.deepEqual([denied.code, denied.stdout], [0, "Denied. The device gets no token.\n"]);
  assert.equal((await one.ended).code, 4);
  assert.ok(!existsSync(file));

  const two = await login(url);
  const unknown = await service.run(["login", "approve", two.code, "--scopes", "nonsense"]);
  assert.deepEqual([unknown.code, unknown.stdout], [1, ""]);
  assert.match(unknown.stderr, /field: scopes\[0\], set by --scopes\n/);
  writeFileSync(join(home, "token"), String(service.env.BERTH_TOKEN));
  const flags = ["--url", url, "--token-file", "token", "--scopes", "agents:read", "--json"];
  const approved = await run(["login", "approve", two.code, ...flags]);
  assert.match(approved.stderr, /^requested by: /, "people see what asks also then");
  assert.deepEqual(JSON.parse(approved.stdout).granted_scopes, ["agents:read"]);
  assert.equal((await two.ended).code, 0);
  assert.match((await run(["whoami"])).stdout, /: agents:read\n/);
});

test("login --device: what cannot be", WITHIN, async (t) => {
  const { run, file } = machine(t);
  for (const [args, code, said] of [
    [["--device", "--token-file", "x"], 2, /either --device or --token-file/],
    [["--scopes", "agents:read", "--token-file", "x"], 2, /--scopes needs --device/],
    [["--device", "--scopes", "nonsense"], 1, /field: scopes\[0\], set by --scopes\n/],
  ] as const) {
    const ended = await run(["login", url, ...args]);
    assert.equal(ended.code, code, ended.stderr);
    assert.match(ended.stderr, said);
  }
  const older = createServer((_, response) => {
    response.writeHead(404, { "content-type": "application/json" });
    response.end('{"type":"error","error":{"type":"not_found_error","message":"Unknown path."}}');
  }).listen(0, "127.0.0.1");
  t.after(() => older.close());
  await once(older, "listening");
  const refused = await run([
    "login",
    `http://127.0.0.1:${(older.address() as AddressInfo).port}`,
    "--device",
  ]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /does not issue tokens this way/);
  assert.ok(!existsSync(file));
});

test(
  "login on a terminal: Enter in place of a token asks for one; Ctrl-C leaves nothing",
  WITHIN,
  async (t) => {
    const { env, home, file } = machine(t);
    const terminal = openTerminal(t, ["login", url], { env, cwd: home });
    await terminal.until(/press Enter[\s\S]*Token for http:\S+: /);
    terminal.type("\r");
    await terminal.until(/Waiting for approval/);
    terminal.type("\u0003");
    const { code, output } = await terminal.ended;
    assert.equal(code, 130, output);
    assert.match(output, /error: Interrupted\.\r?\n$/);
    assert.ok(!existsSync(file));
  },
);

test("login --device: Ctrl-C while the token comes revokes it", WITHIN, async (t) => {
  const { login, file } = machine(t);
  const calls: string[] = [];
  const polled = Promise.withResolvers<ServerResponse>();
  const fake = createServer((request, response) => {
    calls.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.setHeader("content-type", "application/json");
    if (request.url?.endsWith("/device_tokens")) return polled.resolve(response);
    const asked = {
      user_code: "BCDF-GHJK",
      device_code: "d",
      instructions: "i",
      expires_in: 600,
      interval: 0,
    };
    response.end(JSON.stringify(asked));
  }).listen(0, "127.0.0.1");
  t.after(() => fake.close());
  await once(fake, "listening");
  const { child, ended } = await login(`http://127.0.0.1:${(fake.address() as AddressInfo).port}`);
  const response = await polled.promise;
  child.kill("SIGINT");
  await new Promise((resolve) => setTimeout(resolve, 200));
  response.end('{"id":"tok_1","token":"berth_pat_x"}');
  assert.equal((await ended).code, 130);
  assert.equal(calls.at(-1), "DELETE /api/v1/cloud/tokens/tok_1 Bearer berth_pat_x");
  assert.ok(!existsSync(file));
});

test(
  "admin login: the operator approves for a user, and denies, with entries in the audit log",
  WITHIN,
  async (t) => {
    const { run, login } = machine(t);
    const one = await login(url);
    const missing = await service.admin(["login", "approve", one.code, "--user", "no@example.com"]);
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /There is no user 'no@example\.com'/);
    const approve = ["login", "approve", one.code, "--user", "owner@example.com"];
    const unknown = await service.admin([...approve, "--scopes", "nonsense"]);
    assert.deepEqual([unknown.code, unknown.stdout], [2, ""]);
    const approved = await service.admin([...approve, "--scopes", "agents:read"]);
    assert.equal(approved.code, 0, approved.stderr);
    assert.equal((await one.ended).code, 0);
    assert.match((await run(["whoami"])).stdout, /^owner@example\.com[\s\S]*: agents:read\n/);
    const two = await login(url);
    assert.equal((await service.admin(["login", "deny", two.code, "--yes"])).code, 0);
    assert.equal((await two.ended).code, 4);
    const { stdout } = await service.admin(["audit", "--json", "--limit", "3"]);
    const entries = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      entries.map(({ operation, actor_type: actor, resources }) => [
        operation,
        actor,
        resources.map((id: string) => id.split("_")[0]),
      ]),
      [
        ["adminDeviceAuthorizations.deny", "operator", ["devauth"]],
        ["deviceTokens.create", "operator", ["devauth", "tok"]],
        ["adminDeviceAuthorizations.approve", "operator", ["devauth", "usr"]],
      ],
    );
  },
);
