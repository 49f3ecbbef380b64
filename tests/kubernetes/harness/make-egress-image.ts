import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { writeTestImage } from "../../container-engine/test-image.ts";

const run = promisify(execFile);

/**
 * The image of the containers that forward a pod's connections to the egress gateway. It has Perl, and Node
 * where Berth's own image has it.
 */
export const EGRESS_IMAGE = "localhost/berth-egress:1";

/**
 * Writes the image's archive, for `ctr images import`, in a directory that it creates. Returns its path.
 * @param kit has the script that makes images.
 */
export async function makeEgressImage(directory: string, kit: string): Promise<string> {
  const [root, archive] = [join(directory, "root"), join(directory, "egress.tar")];
  mkdirSync(join(root, "usr/lib/berth"), { recursive: true });
  const files = writeTestImage(directory, ["libatomic1", "libstdc++6", "libgcc-s1"]);
  await run("tar", ["-x", "-p", "-f", files, "-C", root]);
  copyFileSync(process.execPath, join(root, "usr/lib/berth/node"));
  await run("python3", [join(kit, "make-image.py"), EGRESS_IMAGE, root, archive, "/bin/sh"]);
  return archive;
}
