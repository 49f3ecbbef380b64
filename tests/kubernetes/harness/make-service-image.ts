import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { writeTestImage } from "../../container-engine/test-image.ts";
import { sharedRelease } from "../../release/shared-release.ts";

const run = promisify(execFile);
const DOCKERFILE = join(import.meta.dirname, "../../../deploy/image/Dockerfile");
/** The packages that the Debian package and the image depend on, besides those of sandboxes. */
const PACKAGES = ["tini", "openssl", "libatomic1", "libstdc++6", "libgcc-s1"];
export const SERVICE_IMAGE = { repository: "localhost/berth", tag: "1" };

/**
 * Writes an archive of the service's image, for `ctr images import`. It has the files of the Debian package,
 * this machine's installed files of the packages that it depends on, and the settings of
 * deploy/image/Dockerfile. Returns its path.
 */
export async function makeServiceImage(directory: string): Promise<string> {
  const [own, root] = [join(directory, "own"), join(directory, "root")];
  for (const path of [
    own,
    ...["etc/ssl", "tmp", "proc", "sys", "dev", "var/lib/berth"].map((name) => join(root, name)),
  ])
    mkdirSync(path, { recursive: true });
  const [deb = ""] = globSync(join(sharedRelease(), "berth_*.deb"));
  await run("tar", ["-x", "-p", "-f", writeTestImage(own, PACKAGES), "-C", root]);
  await run("sh", ["-c", `dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2"`, "sh", deb, root]);
  writeFileSync(
    join(root, "etc/passwd"),
    "root:x:0:0::/root:/bin/sh\nberth:x:100:100::/var/lib/berth:/bin/sh\n",
  );
  writeFileSync(join(root, "etc/group"), "root:x:0:\nberth:x:100:\n");
  writeFileSync(join(root, "etc/ssl/openssl.cnf"), readFileSync("/etc/ssl/openssl.cnf"));
  return await pack(directory, root);
}

/** Packs a root filesystem in the format of `docker save`. Returns the archive's path. */
async function pack(directory: string, root: string): Promise<string> {
  await run("tar", ["--numeric-owner", "-C", root, "-cf", join(directory, "layer.tar"), "."]);
  const hash = createHash("sha256");
  await pipeline(createReadStream(join(directory, "layer.tar")), hash);
  const rootfs = { type: "layers", diff_ids: [`sha256:${hash.digest("hex")}`] };
  const history = [{ created_by: "tests" }];
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  const config = {
    architecture,
    os: "linux",
    config: settingsOf(readFileSync(DOCKERFILE, "utf8")),
    rootfs,
    history,
  };
  writeFileSync(join(directory, "config.json"), JSON.stringify(config));
  const { repository, tag } = SERVICE_IMAGE;
  const manifest = [{ Config: "config.json", RepoTags: [`${repository}:${tag}`], Layers: ["layer.tar"] }];
  writeFileSync(join(directory, "manifest.json"), JSON.stringify(manifest));
  const archive = join(directory, "service.tar");
  await run("tar", ["-C", directory, "-cf", archive, "config.json", "layer.tar", "manifest.json"]);
  return archive;
}

function settingsOf(dockerfile: string) {
  const line = (word: string) => new RegExp(`^${word} (.*)$`, "m").exec(dockerfile)?.[1] ?? "";
  return {
    Env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", ...line("ENV").split(" ")],
    WorkingDir: line("WORKDIR"),
    User: line("USER"),
    Entrypoint: JSON.parse(line("ENTRYPOINT")),
    Cmd: JSON.parse(line("CMD")),
  };
}
