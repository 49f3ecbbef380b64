import { cpSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { packArchive } from "./pack-archive.ts";

/** Packs the action for jobs of GitHub, Forgejo and Gitea into the directory, as `berth-action-VERSION.tgz`. */
export async function packAction(root: string, directory: string, version: string): Promise<void> {
  await packArchive(directory, `berth-action-${version}`, async (staging) => {
    for (const file of ["deploy/github-action/action.yml", "LICENSE"])
      cpSync(join(root, file), join(staging, basename(file)));
    await build({
      absWorkingDir: root,
      entryPoints: ["packages/cli/src/commands/ci/main.ts", "packages/cli/src/commands/ci/post.ts"],
      outdir: staging,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node24",
      tsconfigRaw: {},
      // For output as YAML, which a step does not have.
      external: ["yaml"],
      logLevel: "warning",
    });
  });
}
