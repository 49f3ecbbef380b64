import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { credentialsVersion, repositoryEnvironment } from "../workspace/repository/repository-environment.ts";
import { CREDENTIAL_HELPER, CREDENTIAL_VARIABLE } from "./credential-helper.ts";

let dir: string;
let program: string;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "credential-helper-"));
  program = join(dir, "helper");
  await writeFile(program, CREDENTIAL_HELPER);
});
after(() => rm(dir, { recursive: true, force: true }));

const widget = { url: "https://git.example:8443/acme/widget", username: "robot", secret: "tok en" };
const gadget = { url: "https://git.example:8443/acme/gadget", username: "other", secret: "two" };

const asked = (host: string, path: string, protocol = "https"): string =>
  `protocol=${protocol}\nhost=${host}\npath=${path}\n\n`;

for (const path of [
  "acme/widget",
  "acme/widget.git",
  "acme/widget/",
  "acme/widget.git/",
  "acme/widget/info/lfs",
  "acme/widget.git/info/lfs",
]) {
  test(`answers for ${path}`, async () => {
    const answer = await helper("get", asked("git.example:8443", path), [gadget, widget]);
    assert.equal(answer, "username=robot\npassword=tok en\n");
  });
}

const others: readonly [string, string][] = [
  ["another host with the same path", asked("evil.example:8443", "acme/widget")],
  ["the host at another port", asked("git.example", "acme/widget")],
  ["a host that begins alike", asked("git.example:8443.evil.example", "acme/widget")],
  ["another protocol", asked("git.example:8443", "acme/widget", "http")],
  ["another path", asked("git.example:8443", "acme/secret")],
  ["a path below", asked("git.example:8443", "acme/widget/info/refs")],
  ["a path above", asked("git.example:8443", "acme")],
  ["no path", "protocol=https\nhost=git.example:8443\n\n"],
  ["a path that steps up", asked("git.example:8443", "acme/other/../widget")],
  ["a path in other letters", asked("git.example:8443", "acme/Widget")],
  ["a pattern", asked("*", "*")],
  ["nothing at all", "\n"],
  ["an empty input", ""],
  ["a host that hides in the path", asked("", "/git.example:8443/acme/widget")],
];
for (const [what, question] of others) {
  test(`has no answer for ${what}`, async () => {
    assert.equal(await helper("get", question, [widget, gadget]), "");
  });
}

const shared: readonly [string, string, string][] = [
  ["an attached repository: its own", asked("git.example:8443", "other/gadget"), "gadget"],
  ["its LFS server: its own", asked("git.example:8443", "other/gadget.git/info/lfs"), "gadget"],
  ["another of an owner: the first of the owner's", asked("git.example:8443", "other/unknown.git"), "gizmo"],
  ["another of the host: the first of the host's", asked("git.example:8443", "stranger/unknown"), "widget"],
  ["an owner that begins alike: the first of the host's", asked("git.example:8443", "other-one/x"), "widget"],
  ["another port", asked("git.example", "other/unknown"), ""],
  ["a host that begins alike", asked("git.example:8443.evil.example", "other/unknown"), ""],
  ["a host that ends alike", asked("evil-git.example:8443", "other/unknown"), ""],
  ["plain http", asked("git.example:8443", "other/unknown", "http"), ""],
  ["the host alone", asked("git.example:8443", ""), ""],
  ["another server's other repository", asked("plain.example", "acme/other"), ""],
  ["another server's repository: its own", asked("plain.example", "acme/plain"), "plain"],
];
for (const [what, question, secret] of shared) {
  test(`hosted repositories, ${what}`, async () => {
    const provider = { host: "git.example:8443", token_env: [] };
    const hosted = (path: string, token: string) => ({
      url: `https://git.example:8443/${path}`,
      secret: token,
      provider,
    });
    const environment = repositoryEnvironment([
      hosted("acme/widget", "widget"),
      { url: "https://plain.example/acme/plain", secret: "plain", provider: null },
      hosted("other/gizmo", "gizmo"),
      hosted("other/gadget", "gadget"),
    ]);
    const answer = await run("get", question, { [CREDENTIAL_VARIABLE]: environment[CREDENTIAL_VARIABLE] });
    assert.equal(answer, secret === "" ? "" : `username=x-access-token\npassword=${secret}\n`);
  });
}

test("credential helper: what was refused is not given again for this URL, until it is rotated", async () => {
  const repositories = [widget, gadget];
  const { [CREDENTIAL_VARIABLE]: credentials } = repositoryEnvironment(
    repositories.map((one) => ({ ...one, provider: null })),
  );
  const env = { [CREDENTIAL_VARIABLE]: credentials, BERTH_GIT_REFUSED: join(dir, "refused") };
  const own = asked("git.example:8443", "acme/widget");
  const lfs = asked("git.example:8443", "acme/widget.git/info/lfs");
  const given = "username=robot\npassword=tok en\n";
  const refusal = (question: string, password: string) =>
    question.replace(/\n\n$/, `\npassword=${password}\n\n`);
  assert.equal(await run("erase", refusal(lfs, "another"), env), "");
  assert.equal(await run("get", lfs, env), given);
  assert.equal(await run("erase", refusal(lfs, "tok en"), env), "");
  assert.equal(
    await run("get", lfs, env, /^The host refused this credential for .*info\/lfs\. It is not used/),
    "",
  );
  assert.equal(await run("get", own, env), given);
  assert.match(await run("get", asked("git.example:8443", "acme/gadget"), env), /password/);
  const rotated = { ...env, ...credentialsVersion([Buffer.from("sealed anew")]) };
  assert.equal(await run("get", lfs, rotated), given);
});

test("credential helper: store, erase without a password, and unknown operations do nothing", async () => {
  for (const operation of ["store", "erase", "capability", ""]) {
    assert.equal(await helper(operation, asked("git.example:8443", "acme/widget"), [widget]), "");
  }
});

test("credential helper: variable missing → no output", async () => {
  assert.equal(await run("get", asked("git.example:8443", "acme/widget"), {}), "");
});

test("credential helper: a URL with .git, a slash or escapes matches as git passes it", async () => {
  for (const [url, path] of [
    ["https://git.example/acme/widget.git", "acme/widget.git"],
    ["https://git.example/acme/widget.git/", "acme/widget.git/"],
    ["https://git.example/acme/w%C3%BC%20x", "acme/wü x"],
  ] as const) {
    const answer = await helper("get", asked("git.example", path), [{ ...widget, url }]);
    assert.equal(answer, "username=robot\npassword=tok en\n", url);
  }
});

const hostile = [
  "$(touch pwned)",
  "`touch pwned`",
  "'; touch pwned; '",
  '"; touch pwned; "',
  "%s%n%d\\n\\0",
  "\\",
  "-n",
  "--",
  "-e \\t",
  " leading and trailing ",
  "\t",
  "",
  "*",
  "~",
  "$HOME $PATH $0",
  "ключ-🔑",
  "a=b=c",
];
for (const secret of hostile) {
  test(`hands over ${JSON.stringify(secret)} unchanged`, async () => {
    const answer = await helper("get", asked("git.example:8443", "acme/widget"), [
      { ...widget, secret },
      gadget,
    ]);
    assert.equal(answer, `username=robot\npassword=${secret}\n`);
  });
}

test("credential helper: any secret is returned unchanged, for its own URL only", async () => {
  const text = fc
    .string({ unit: "binary", maxLength: 60 })
    .filter((value) => !/[\r\n\0]/.test(value.toWellFormed()));
  const wellFormed = text.map((value) => value.toWellFormed());
  await fc.assert(
    fc.asyncProperty(wellFormed, wellFormed, wellFormed, async (secret, username, path) => {
      const repositories = [gadget, { ...widget, username, secret }];
      const own = await helper("get", asked("git.example:8443", "acme/widget"), repositories);
      assert.equal(own, `username=${username}\npassword=${secret}\n`);
      fc.pre(!/^acme\/(widget|gadget)(\.git)?\/?$/.test(path));
      assert.equal(await helper("get", asked("git.example:8443", path), repositories), "");
    }),
    { numRuns: 150 },
  );
});

function helper(operation: string, question: string, repositories: (typeof widget)[]): Promise<string> {
  const environment = repositoryEnvironment(repositories.map((one) => ({ ...one, provider: null })));
  return run(operation, question, { [CREDENTIAL_VARIABLE]: environment[CREDENTIAL_VARIABLE] });
}

/**
 * Returns the output of the helper, which must exit with 0. Its standard error must match `complaint`;
 * default: empty.
 */
async function run(
  operation: string,
  question: string,
  env: NodeJS.ProcessEnv,
  complaint = /^$/,
): Promise<string> {
  const child = spawn("/bin/sh", [program, operation], { env, cwd: dir, stdio: ["pipe", "pipe", "pipe"] });
  const out: Buffer[] = [];
  const complaints: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk));
  child.stdin.on("error", () => {});
  child.stdin.end(question);
  const [code] = await once(child, "close");
  assert.equal(code, 0);
  assert.match(Buffer.concat(complaints).toString(), complaint);
  return Buffer.concat(out).toString();
}
