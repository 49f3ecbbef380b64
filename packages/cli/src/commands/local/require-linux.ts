/** Fails on systems where Berth cannot run. @throws UsageError */
export async function requireLinux(name: string): Promise<void> {
  if (process.platform === "linux") return;
  const { UsageError } = await import("../../shared/failure.ts");
  throw new UsageError(
    `berth ${name} needs Linux. On this system, commands that call a Berth elsewhere work: name it with --url or BERTH_URL.`,
  );
}
