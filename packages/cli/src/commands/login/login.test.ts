import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { berth } from "../../../test-support/berth.ts";
import { type Installation, startInstallation } from "../../../test-support/installation.ts";
import { openTerminal } from "../../../test-support/terminal.ts";

const WITHIN = { timeout: 120_000 };

let service: Installation;
let url: string;
let token: string;
before(async () => {
  service = await startInstallation();
  url = service.url;
  token = service.env.BERTH_TOKEN ?? "";
});
after(() => service.stop());

/** Returns the environment of a user's machine without an installation. */
function machine(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), "berth-login-"));
  t.after(() => rmSync(home, { recursive: true }));
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, "config") };
  const run = (args: string[], input?: string, more: Record<string, string> = {}) =>
    berth(args, { env: { ...env, ...more }, cwd: home, ...(input !== undefined && { input }) });
  return { home, env, run, file: join(home, "config/berth/contexts.json") };
}

/** Starts a server that records the tokens it receives. */
async function listener(t: TestContext) {
  const tokens: string[] = [];
  const server = createServer((request, response) => {
    tokens.push(request.headers.authorization ?? "none");
    response.writeHead(401, { "content-type": "application/json" });
    response.end('{"type":"error","error":{"type":"authentication_error","message":"No."}}');
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  return { tokens, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test(
  "login, use and logout: the token is checked, kept for its service alone, and forgotten",
  WITHIN,
  async (t) => {
    const { run, file, home } = machine(t);
    const before = await run(["whoami"]);
    assert.deepEqual([before.code, before.stdout], [2, ""]);
    assert.match(before.stderr, /^error: No service is set\. Log in to one \(berth login URL\)/);
    const made = await run(["login", url, "--name", "work"], `${token}\n`);
    assert.deepEqual([made.code, made.stderr], [0, ""]);
    assert.match(made.stdout, /Logged in to http:\S+ as context 'work'[\s\S]*owner@example\.com/);
    assert.doesNotMatch(made.stdout, new RegExp(token));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.match((await run(["whoami"])).stdout, /^owner@example\.com/);
    assert.match((await run(["status"])).stdout, /\(context 'work'\): ready/);

    const other = await listener(t);
    await run(["whoami"], undefined, { BERTH_URL: other.url });
    await run(["whoami", "--url", other.url]);
    assert.deepEqual(other.tokens, [], "without a token of its own, nothing is sent to another server");
    assert.match(
      (await run(["whoami", "--url", url])).stdout,
      /^owner@example\.com/,
      "for its URL it is taken",
    );
    await run(["whoami"], undefined, { BERTH_URL: other.url, BERTH_TOKEN: "berth_pat_other" });
    assert.deepEqual(other.tokens.splice(0), ["Bearer berth_pat_other"]);
    const alone = await run(["whoami"], undefined, { BERTH_TOKEN: "berth_pat_other" });
    assert.match(alone.stderr, /No service is set/, "a token without a URL is not sent to the context");

    const another = (await service.json("tokens", "create", "-f", "name=second")).token;
    writeFileSync(join(home, "second"), `${another}\n`);
    assert.equal((await run(["login", url, "--name", "two", "--token-file", "second"])).code, 0);
    const { stdout: list } = await run(["context", "list"]);
    assert.deepEqual(
      list
        .trimEnd()
        .split("\n")
        .map((line) => line.trim().split(/ +/)),
      [
        ["NAME", "URL"],
        ["work", url],
        ["*", "two", url],
      ],
    );
    assert.equal((await run(["context", "show", "-o", "id"])).stdout, "two\n");
    const completed = (...words: string[]) => run(["complete", "--", ...words]);
    for (const words of [
      ["context", "use", "w"],
      ["logout", "w"],
      ["agents", "list", "--context", "w"],
    ])
      assert.equal((await completed(...words)).stdout, `work\t${url}\n`, words.join(" "));
    assert.equal((await run(["context", "use", "work"])).code, 0);
    assert.match((await run(["status", "--context", "two"])).stdout, /\(context 'two'\)/);
    assert.match((await run(["status"], undefined, { BERTH_CONTEXT: "two" })).stdout, /\(context 'two'\)/);
    const of = async (...args: string[]) => (await run(["whoami", "-o", "id", ...args])).stdout.trim();
    assert.notEqual(
      await of("--context", "two"),
      await of("--context", "work"),
      "they have tokens of their own",
    );
    assert.equal(await of("--url", url), await of("--context", "work"), "that of the current one");
    await run(["context", "use", "two"]);
    assert.equal(await of("--url", url.toUpperCase().replace("HTTP", "http")), await of("--context", "two"));
    const file2 = await run(["whoami", "--context", "two", "--token-file", "second"]);
    assert.deepEqual(
      [file2.code, file2.stderr],
      [2, "error: Set either --token-file or --context, not both: a context has its token.\n"],
    );
    assert.equal((await run(["context", "use", "work"])).code, 0);
    assert.equal((await run(["context", "remove", "two"])).code, 0);
    const gone = await run(["status", "--context", "two"]);
    assert.deepEqual([gone.code, gone.stderr], [2, "error: There is no context 'two'. There are: work.\n"]);
    assert.match((await run(["logout"])).stdout, /The token itself stays valid/);
    assert.doesNotMatch(readFileSync(file, "utf8"), /berth_pat_/);
    assert.deepEqual((await run(["logout"])).code, 1);
  },
);

test("login: a wrong token, URL or name is an error, and nothing is stored", WITHIN, async (t) => {
  const { run, file } = machine(t);
  for (const [args, input, code, said] of [
    [[url], "berth_pat_wrong", 4, /The token is malformed/],
    [[url], "", 2, /No token was given/],
    [[url], "two words", 2, /no spaces/],
    [[], token, 2, /Give the URL/],
    [["berth.example.com"], token, 2, /must be like https/],
    [["https://me:secret@berth.example.com"], token, 2, /must not have a user or a password/],
    [["http://127.0.0.1:1"], token, 1, /The connection to \S+ failed/],
    [[url, "--name", "a b"], token, 2, /name of a context/],
    [[url, "--token-file", "/nowhere"], "", 2, /Cannot read '\/nowhere'/],
  ] as const) {
    const ended = await run(["login", ...args], input);
    assert.equal(ended.code, code, `${args} ${ended.stderr}`);
    assert.match(ended.stderr, said);
    assert.doesNotMatch(ended.stderr, new RegExp(token));
  }
  assert.throws(() => statSync(file));
  mkdirSync(join(file, ".."), { recursive: true });
  for (const content of ["{", '{"current":"x","contexts":null}', '{"contexts":{"x":{"url":"u"}}}', "[]x"]) {
    writeFileSync(file, content);
    const broken = await run(["whoami"]);
    assert.deepEqual([broken.code, broken.stdout], [2, ""], content);
    assert.match(broken.stderr, /^error: The contexts in \S+ cannot be read[^\n]*\n$/);
    const without = await run(["whoami"], undefined, { BERTH_URL: url, BERTH_TOKEN: token });
    assert.equal(without.code, 0, "who needs no context is not kept from the service");
  }
});

test("login on a terminal: the token is asked for and not shown; logout can revoke it", WITHIN, async (t) => {
  const { run, env, home } = machine(t);
  const own = (await service.json("tokens", "create", "-f", "name=laptop")).token;
  const terminal = openTerminal(t, ["login", url], { env, cwd: home });
  await terminal.until(/Token for http:\S+: /);
  terminal.type(`${own}\r`);
  const { code, output } = await terminal.ended;
  assert.equal(code, 0, output);
  assert.match(output, /Logged in/);
  assert.doesNotMatch(output, new RegExp(own));
  assert.match((await run(["logout", "--revoke"])).stdout, /The token is revoked/);
  assert.equal((await run(["whoami", "--url", url], undefined, { BERTH_TOKEN: own })).code, 4);
});

test("login: several at once are all stored", WITHIN, async (t) => {
  const { run } = machine(t);
  const names = ["a", "b", "c", "d"];
  const ended = await Promise.all(names.map((name) => run(["login", url, "--name", name], token)));
  assert.deepEqual(
    ended.map(({ code }) => code),
    [0, 0, 0, 0],
  );
  assert.deepEqual((await run(["context", "list", "-o", "id"])).stdout.trim().split("\n").toSorted(), names);
});
