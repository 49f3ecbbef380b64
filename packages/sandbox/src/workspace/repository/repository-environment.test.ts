import assert from "node:assert/strict";
import { test } from "node:test";
import { SandboxError } from "../../interface/errors.ts";
import type { RepositoryAccess } from "./repository.ts";
import { repositoryEnvironment } from "./repository-environment.ts";

const at = (host: string, secret: string | null, path = "acme/widget"): RepositoryAccess => ({
  url: `https://${host}/${path}`,
  secret,
  provider: { host, token_env: ["GH_TOKEN"] },
});

/** Returns the variables except those that are always set. */
function variables(...repositories: RepositoryAccess[]): Record<string, string> {
  const { GH_PROMPT_DISABLED, GH_NO_UPDATE_NOTIFIER, GIT_TERMINAL_PROMPT, ...rest } =
    repositoryEnvironment(repositories);
  assert.deepEqual([GH_PROMPT_DISABLED, GH_NO_UPDATE_NOTIFIER, GIT_TERMINAL_PROMPT], ["1", "1", "0"]);
  return rest;
}

const credentials = (...urls: string[]) => urls.map((url) => `${url}\nx-access-token\none`).join("\n");

test("repository environment: no repository → only the variables that disable prompts", () => {
  assert.deepEqual(variables(), {});
});

test("repository environment: github.com → its token, no other host", () => {
  assert.deepEqual(variables(at("github.com", "one")), {
    GH_TOKEN: "one",
    BERTH_GIT_CREDENTIALS: credentials(
      "https://github.com/acme/widget",
      "https://github.com/acme/",
      "https://github.com/",
    ),
    BERTH_GH_TOKENS: "github.com/acme/widget\none",
  });
});

test("repository environment: another host of gh → both token variables, and the host", () => {
  assert.deepEqual(variables(at("git.example:8443", "one")), {
    GH_TOKEN: "one",
    GH_ENTERPRISE_TOKEN: "one",
    GH_HOST: "git.example:8443",
    BERTH_GIT_CREDENTIALS: credentials(
      "https://git.example:8443/acme/widget",
      "https://git.example:8443/acme/",
      "https://git.example:8443/",
    ),
    BERTH_GH_TOKENS: "git.example:8443/acme/widget\none",
  });
});

test("repository environment: no token → only the host", () => {
  assert.deepEqual(variables(at("github.com", null)), {});
  assert.deepEqual(variables(at("git.example", null)), { GH_HOST: "git.example" });
});

test("repository environment: another CLI → the variables that its provider names", () => {
  const provider = { host: "lab.example", token_env: ["GITLAB_TOKEN", "GL_TOKEN"] };
  assert.deepEqual(variables({ url: "https://lab.example/a/b", username: "ann", secret: "one", provider }), {
    GITLAB_TOKEN: "one",
    GL_TOKEN: "one",
    BERTH_GIT_CREDENTIALS:
      "https://lab.example/a/b\nann\none\nhttps://lab.example/a/\nann\none\nhttps://lab.example/\nann\none",
  });
});

test("repository environment: no provider → only git's credential", () => {
  assert.deepEqual(variables({ ...at("git.example", "one"), provider: null }), {
    BERTH_GIT_CREDENTIALS: "https://git.example/acme/widget\nx-access-token\none",
  });
});

test("repository environment: two repositories of a provider → the CLI's variable holds the first token, git and gh get each", () => {
  const { BERTH_GIT_CREDENTIALS, BERTH_GH_TOKENS, ...cli } = variables(
    at("git.example", null, "a/open"),
    at("git.example", "one", "a/b"),
    at("git.example", "two", "a/c"),
  );
  assert.deepEqual(cli, { GH_TOKEN: "one", GH_ENTERPRISE_TOKEN: "one", GH_HOST: "git.example" });
  assert.equal(
    BERTH_GIT_CREDENTIALS,
    [
      "https://git.example/a/b\nx-access-token\none\nhttps://git.example/a/c\nx-access-token\ntwo",
      credentials("https://git.example/a/", "https://git.example/"),
    ].join("\n"),
  );
  assert.equal(BERTH_GH_TOKENS, "git.example/a/b\none\ngit.example/a/c\ntwo");
});

test("repository environment: github.com and another host → no token is where gh would send it to the other host", () => {
  for (const order of [
    [at("github.com", "hub"), at("git.example", "own")],
    [at("git.example", "own"), at("github.com", "hub")],
  ]) {
    const { GH_TOKEN, GH_ENTERPRISE_TOKEN, GH_HOST } = variables(...order);
    assert.deepEqual([GH_TOKEN, GH_ENTERPRISE_TOKEN], ["hub", "own"]);
    assert.equal(GH_HOST, order[0]?.provider?.host === "github.com" ? undefined : "git.example");
  }
});

test("repository environment: two other hosts → the default host of gh is the one with the token", () => {
  const { GH_ENTERPRISE_TOKEN, GH_HOST } = variables(at("one.example", null), at("two.example", "two"));
  assert.deepEqual([GH_ENTERPRISE_TOKEN, GH_HOST], ["two", "two.example"]);
});

test("repository environment: line breaks or NUL in a credential → SandboxError that does not contain it", () => {
  for (const secret of ["a\nhost=evil", "a\rb", "a\0b"]) {
    assert.throws(
      () => repositoryEnvironment([at("git.example", secret)]),
      (error) => error instanceof SandboxError && !error.message.includes(secret),
    );
    assert.throws(
      () => repositoryEnvironment([{ ...at("git.example", "good"), username: secret }]),
      SandboxError,
    );
  }
  assert.throws(() => repositoryEnvironment([at("git.example", "good", "a%0Ab/c")]), SandboxError);
});
