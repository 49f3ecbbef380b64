import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { startGitHost } from "../../tests/git-host/git-host.ts";
import { createGuideRepository, writeGuideEnvironment } from "./guide-environment.ts";

const run = promisify(execFile);

test("guide environment: its token reads and writes the repositories of the guides and of the first session", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "guide-environment-"));
  const gitHost = await startGitHost({ dir: join(directory, "host") });
  t.after(async () => {
    await gitHost.stop();
    await rm(directory, { recursive: true, force: true });
  });
  const files = { "README.md": "# Berth\n" };
  await gitHost.createRepository({ org: "you", name: "berth", private: true, files });
  await createGuideRepository(gitHost);
  const file = await writeGuideEnvironment(directory, { url: "http://127.0.0.1:1", token: "t" }, gitHost);
  for (const name of ["you/berth", "acme/widget"]) {
    const place = join(directory, name.replace("/", "-"));
    const login = `-c http.extraHeader="Authorization: Basic $(printf 'x:%s' "$GIT_TOKEN" | base64 -w 0)" -c http.sslCAInfo='${gitHost.caFile}'`;
    const script = `. '${file}' && git ${login} clone -q "$GIT_SERVER/${name}" '${place}' && git -C '${place}' ${login} push -q origin HEAD:refs/heads/pushed`;
    const env = { PATH: process.env.PATH, HOME: directory, GIT_TERMINAL_PROMPT: "0" };
    await run("sh", ["-euc", script], { env });
    const [org = "", repository = ""] = name.split("/");
    assert.notEqual(await gitHost.head(org, repository, "pushed"), null);
  }
});
