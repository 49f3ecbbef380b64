import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { gitUrl, hostedUrl, repositoryName } from "./git-url.ts";

const name = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,20}$/).filter((text) => !text.endsWith("."));
const host = fc.tuple(
  fc.constantFrom("git.example", "a.b.example", "localhost"),
  fc.option(fc.integer({ min: 1, max: 65_535 })),
);

/** Other parts of a URL, and text that a URL parser, git or a shell could read differently. */
const hostile = fc.constantFrom(
  "user@", "a:b@", "?", "#", "?x=1", "#x", "//", "/./", "/../", "/%2e%2e/", "%2F", "%00", "%0a", "%zz", "%", "\\", "\n", " ",
  "[::1]", "ＧＩＴ", "..", ":0", ":70000", "--upload-pack=x", "",
); // biome-ignore format: a list of words

function assertPlain(text: string): void {
  const url = new URL(text);
  assert.deepEqual(
    [url.username, url.password, url.search, url.hash, url.host],
    ["", "", "", "", "git.example"],
  );
  assert.equal(url.href, text, "nothing was resolved or encoded on the way");
  assert.ok(!/[\u0000-\u0020\\]/.test(text));
  for (const segment of decodeURIComponent(url.pathname).slice(1).split("/"))
    assert.ok(segment !== "" && segment !== "." && segment !== "..");
}

describe("repository URLs", () => {
  test("with a path of any depth are accepted unchanged, and a URL parser reads the same host and path", () => {
    fc.assert(
      fc.property(
        host,
        fc.array(name, { minLength: 1, maxLength: 6 }),
        fc.constantFrom("http", "https"),
        (at, path, scheme) => {
          const [machine, port] = at;
          const url = `${scheme}://${machine}${port === null ? "" : `:${port}`}/${path.join("/")}`;
          assert.ok(gitUrl.safeParse(url).success, url);
          assert.equal(new URL(url).pathname, `/${path.join("/")}`);
          assert.equal(repositoryName(url), path.at(-1)?.replace(/\.git$/, ""));
        },
      ),
    );
  });

  test("of other case, with a default port, or with slashes at the end → in their normal form, once and for all", () => {
    for (const [form, written, normal] of [
      [hostedUrl, "HTTPS://GitHub.com/Acme/Widget", "https://github.com/Acme/Widget"],
      [hostedUrl, "https://github.com:443/Acme/Widget.git//", "https://github.com/Acme/Widget"],
      [gitUrl, "https://Git.Example:8443/A/b.git/", "https://git.example:8443/A/b.git"],
      [gitUrl, "HTTP://git.example:80/A", "http://git.example/A"],
      [gitUrl, "https://git.example:80/A", "https://git.example:80/A"],
    ] as const) {
      assert.equal(form.parse(written), normal);
      assert.equal(form.parse(normal), normal);
    }
  });

  test("with any other parts are rejected, or a URL parser reads nothing but host and path", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(hostile, name, fc.constant("/"), fc.string()), { maxLength: 6 }),
        (parts) => {
          const text = `https://git.example/${parts.join("")}`;
          for (const form of [gitUrl, hostedUrl]) {
            const parsed = form.safeParse(text).data;
            if (parsed !== undefined) assertPlain(parsed);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("with an IP address or an invalid host name are rejected", () => {
    for (const written of [
      "10.0.0.1",
      "1.1",
      "0x7f.1",
      "2130706433",
      "a..b",
      "a-.b",
      "-a.b",
      `${"a".repeat(64)}.b`,
    ]) {
      for (const form of [gitUrl, hostedUrl])
        assert.ok(!form.safeParse(`https://${written}/a/b`).success, written);
    }
    for (const written of ["git", "1.2.3.x4", "xn--bcher-kva.example", "a.b:8443"]) {
      for (const form of [gitUrl, hostedUrl])
        assert.ok(form.safeParse(`https://${written}/a/b`).success, written);
    }
  });
});
