/**
 * Runs this program again in a network of its own, so that every port that a document prints is free. Needs root: without it the
 * program goes on in the machine's network, where the ports may be taken.
 */
export function enterOwnNetwork(): void {
  if (process.env[MARK] !== undefined || process.getuid?.() !== 0) return;
  const { execve } = process;
  if (execve === undefined) throw new Error("This Node.js cannot run itself again.");
  const inside = 'PATH="$PATH:/usr/sbin:/sbin"; ip link set lo up && exec "$@"';
  const node = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const command = ["unshare", "--net", "sh", "-c", inside, "sh", ...node];
  execve("/usr/bin/env", ["env", ...command], { ...definedVariables(), [MARK]: "1" });
}

const MARK = "GUIDES_IN_OWN_NETWORK";

function definedVariables(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
