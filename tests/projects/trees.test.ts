import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Project } from "./project.ts";
import { projectTests } from "./project-tests.ts";

const run = promisify(execFile);

const FOLDERS = 100;
const FILES_OF_FOLDER = 1_000;

/** Names that shells, git and terminals treat in special ways. */
const ODD_NAMES = [
  "with space.txt",
  " begins and ends ",
  "-dash",
  "--help",
  'quote\'s "double"',
  "back\\slash",
  "line\nbreak",
  "tab\there",
  "$HOME `id` $(id)",
  "star * and ? [a-z]",
  "~",
  "#hash",
  "colon:semi;pipe|and&",
  "ünï-日本語-🚢",
  "e\u0301 composed \u00e9",
  "UPPER",
  "upper",
  "n".repeat(250),
  ".hidden/.deeper/.file",
  `${"deep/".repeat(30)}file`,
];

/** Repositories whose trees are out of the ordinary. */
const PROJECTS: readonly Project[] = [
  {
    name: "submodules",
    files: {
      "test.sh":
        '#!/bin/sh\n[ "$(cat parts/hull/hull.txt)" = hull ] && [ "$(cat parts/hull/bolts/bolt.txt)" = bolt ]\n',
    },
    prepare: async (directory, host) => {
      const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
      const made = async (name: string, file: string, of?: string) => {
        const own = `${directory}.${name}`;
        await run("git", ["init", "--quiet", "--initial-branch=main", own]);
        await writeFile(join(own, file), `${file.replace(".txt", "")}\n`);
        await run("git", ["add", "--all"], { cwd: own });
        if (of !== undefined) await link(own, "bolts", `../${of}`, await host.head("acme", of, "main"));
        await run("git", [...identity, "commit", "--quiet", "-m", "One"], { cwd: own });
        await host.createRepository({ org: "acme", name, private: true, from: own });
        await run("rm", ["-rf", own]);
      };
      await made("bolts", "bolt.txt");
      await made("hull", "hull.txt", "bolts");
      await link(directory, "parts/hull", "../hull", await host.head("acme", "hull", "main"));
    },
    check:
      "git submodule --quiet update --init --recursive\n./test.sh\ngit submodule status --recursive | grep -c . | grep -qx 2",
    change: `git -C parts/hull checkout -q -b more && echo more >parts/hull/more.txt && git -C parts/hull add more.txt
git -C parts/hull commit -q -m More && git -C parts/hull push -q origin more`,
  },
  {
    name: "large-files",
    files: { ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n" },
    prepare: async (directory, host) => {
      const pointer = host.lfs.add("acme/large-files", Buffer.alloc(3_000_000, "large "));
      await writeFile(join(directory, "model.bin"), pointer);
    },
    check: `[ "$(wc -c <model.bin)" -ge 3000000 ]\ngit lfs ls-files | grep -q model.bin\ngit lfs fsck >/dev/null`,
    change: "printf 'larger' >>model.bin",
  },
  {
    name: "hooks",
    files: {
      ".githooks/pre-commit": "#!/bin/sh\nexec ./check.sh\n",
      ".githooks/commit-msg":
        '#!/bin/sh\ngrep -q "^Change" "$1" || { echo "Subjects begin with Change." >&2; exit 1; }\n',
      "check.sh": "#!/bin/sh\n! grep -rn FORBIDDEN --include='*.txt' .\n",
      "a.txt": "one\n",
    },
    check: `./check.sh
git config core.hooksPath .githooks
echo FORBIDDEN >b.txt && git add b.txt
if git commit -q -m 'Change b' >/dev/null 2>&1; then exit 1; fi
git rm -q --cached b.txt && rm b.txt
if git commit -q --allow-empty -m 'Wrong subject' >/dev/null 2>&1; then exit 1; fi`,
    change: "echo two >>a.txt",
  },
  {
    name: "many-files",
    files: {},
    prepare: async (directory) => {
      for (let folder = 0; folder < FOLDERS; folder += 1) {
        const path = join(directory, `folder-${folder}`);
        await mkdir(path);
        const names = Array.from({ length: FILES_OF_FOLDER }, (_, number) => join(path, `${number}.txt`));
        await Promise.all(names.map((name, number) => writeFile(name, `${folder} ${number}\n`)));
      }
    },
    check: `[ "$(git ls-files | wc -l)" -ge ${FOLDERS * FILES_OF_FOLDER} ]
[ "$(cat folder-99/999.txt)" = '99 999' ] || grep -q more folder-99/999.txt
git status --porcelain | grep -c . | grep -qx 0`,
    change: "for folder in folder-*; do echo more >>$folder/999.txt; done",
  },
  {
    name: "odd-names",
    files: Object.fromEntries(ODD_NAMES.map((name) => [name, `${name}\n`])),
    prepare: async (directory) => {
      await symlink("with space.txt", join(directory, "link to a file"));
      await symlink("/nonexistent/place", join(directory, "link to nothing"));
    },
    check: `[ "$(git ls-files -z | tr -dc '\\0' | wc -c)" -ge ${ODD_NAMES.length + 2} ]
git ls-files -z | xargs -0 ls -d -- >/dev/null
[ "$(readlink 'link to nothing')" = /nonexistent/place ]`,
    change: "echo more >>./-dash\ngit mv -- 'with space.txt' 'with two  spaces.txt'",
  },
];

projectTests(PROJECTS);

/** Adds a submodule to the index of a repository. */
async function link(directory: string, path: string, url: string, commit: string | null): Promise<void> {
  await mkdir(join(directory, path), { recursive: true });
  await writeFile(
    join(directory, ".gitmodules"),
    `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n`,
  );
  const git = (...args: string[]) => run("git", args, { cwd: directory });
  await git("add", ".gitmodules");
  await git("update-index", "--add", "--cacheinfo", `160000,${commit},${path}`);
}
