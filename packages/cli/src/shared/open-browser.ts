import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { contextsFile } from "./contexts.ts";

/**
 * Opens a link in the user's browser. The link is a secret, and every user of the machine can read the arguments
 * of a program. So the browser opens a file that only this user can read and that redirects to the link.
 * @param fileName Name of the file, beside those of the command line.
 * @returns whether a program to open it was started.
 */
export async function openBrowser(url: string, fileName: string): Promise<boolean> {
  const opener = openerOf(process.platform, process.env);
  if (opener === null) return false;
  try {
    const child = spawn(opener, [pathToFileURL(await writePage(url, fileName)).href], {
      stdio: "ignore",
      detached: true,
    });
    child.unref();
    await once(child, "spawn");
    return true;
  } catch {
    return false;
  }
}

/** Returns the program that opens a file in a browser, or null where there is no screen. */
function openerOf(platform: NodeJS.Platform, { DISPLAY, WAYLAND_DISPLAY }: NodeJS.ProcessEnv): string | null {
  if (platform === "darwin") return "open";
  return DISPLAY || WAYLAND_DISPLAY ? "xdg-open" : null;
}

/** Writes the page to a file, which the next link replaces. A used or expired link is worthless. */
async function writePage(url: string, fileName: string): Promise<string> {
  const file = join(dirname(contextsFile()), fileName);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  await writeFile(next, pageOf(url), { mode: 0o600 });
  await rename(next, file);
  return file;
}

function pageOf(url: string): string {
  const address = url.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>Berth</title>
<a href="${address}">Open the console</a>
`;
}
