/** Fails on systems where Berth cannot run. @throws UsageError */
export async function requireLinux(name: string): Promise<void> {
  if (process.platform === "linux") return;
  const { UsageError } = await import("../../shared/failure.ts");
  throw new UsageError(
    `berth ${name} needs Linux. Here the commands work that call a Berth elsewhere: name it with --url or BERTH_URL.`,
  );
}
