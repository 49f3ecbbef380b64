/**
 * Runs this program again in its own network namespace, so that every port in a document is free. Without
 * root, the program continues in the machine's network, where ports may be in use.
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
