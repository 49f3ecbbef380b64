import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { writeTestImage } from "../../container-engine/test-image.ts";

const run = promisify(execFile);

/** The image of the sandboxes, with the programs that tests run in them. */
export const TEST_IMAGE = "localhost/berth-test:1";

/** Makes the archives of the images of a test cluster, from programs installed on this machine. */
export function makeImages(
  directory: string,
  makeImage: string,
): { pause: Promise<string>; test: Promise<string> } {
  return { pause: pauseImage(directory, makeImage), test: testImage(directory, makeImage) };
}

/** Makes the image that holds a pod's namespaces. The node imports it by this name. */
async function pauseImage(directory: string, makeImage: string): Promise<string> {
  const [root, archive] = [join(directory, "pause"), join(directory, "pause.tar")];
  mkdirSync(join(root, "bin"), { recursive: true });
  copyFileSync("/bin/busybox", join(root, "bin/busybox"));
  execFileSync("chroot", [root, "/bin/busybox", "--install", "-s", "/bin"]);
  await run("python3", [makeImage, "localhost/pause:1", root, archive, "/bin/sleep", "2147483647"]);
  return archive;
}

async function testImage(directory: string, makeImage: string): Promise<string> {
  const [own, root, archive] = [
    join(directory, "test"),
    join(directory, "test/root"),
    join(directory, "test.tar"),
  ];
  mkdirSync(root, { recursive: true });
  const files = writeTestImage(own);
  await run("tar", ["-x", "-p", "-f", files, "-C", root]);
  await run("python3", [makeImage, TEST_IMAGE, root, archive, "/bin/sh"]);
  return archive;
}
