import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { GitHost } from "../../tests/git-host/git-host.ts";

const BIN = fileURLToPath(new URL("../../bin", import.meta.url));
const MONTH_SECONDS = 30 * 86_400;

/** Creates the guides' private repository on the git server. */
export async function createGuideRepository(gitHost: GitHost): Promise<void> {
  const files = { "README.md": "# Widget\n" };
  await gitHost.createRepository({ org: "acme", name: "widget", private: true, files });
}

/**
 * Writes the shell variables that the guides' lines need, and returns the file's path. They name `berth` on
 * the path, the service and its token, and the git server. The git server's token may write to the
 * repositories of the guides and of the first session.
 */
export async function writeGuideEnvironment(
  dataDir: string,
  service: { url: string; token: string },
  gitHost: GitHost,
): Promise<string> {
  const gitToken = gitHost.createToken({
    user: "agent",
    repositories: ["acme/widget", "you/berth"],
    permissions: "write",
    expiresInSeconds: MONTH_SECONDS,
  });
  const variables = {
    BERTH_URL: service.url,
    BERTH_TOKEN: service.token,
    GIT_SERVER: gitHost.url,
    GIT_HOST: gitHost.host,
    GIT_TOKEN: gitToken,
  };
  const lines = [
    "# For the guides in docs/guides, while Berth runs.",
    `export PATH=${quoted(BIN)}:"$PATH"`,
    ...Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}`),
  ];
  const file = join(dataDir, "env");
  await writeFile(file, `${lines.join("\n")}\n`, { mode: 0o600 });
  return file;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
