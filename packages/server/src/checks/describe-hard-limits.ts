import { hardLimit } from "@berth/linux";
import { type Capability, MOST_OPEN_FILES, mayDumpCore } from "@berth/sandbox";
import { type CeilingSettings, usualPids } from "../config/ceilings.ts";

const LIST = new Intl.ListFormat("en", { type: "conjunction" });

/**
 * Reports which limits of sandboxes are lower than usual because this process's own hard limits are. Returns
 * null if sandboxes are on other machines.
 */
export function describeHardLimits(
  settings: Pick<CeilingSettings, "sandbox" | "role">,
  ownHardLimit: typeof hardLimit = hardLimit,
): Capability | null {
  if (settings.sandbox === "kubernetes" || settings.role === "api") return null;
  const name = "hard_limits";
  const [files, processes] = [ownHardLimit("Max open files"), ownHardLimit("Max processes")];
  const usual = usualPids(settings);
  const lowered = [
    ...(files < MOST_OPEN_FILES ? [`${files} open files instead of ${MOST_OPEN_FILES}`] : []),
    ...(processes < usual ? [`${processes} processes instead of ${usual}`] : []),
    ...(mayDumpCore() && ownHardLimit("Max core file size") === 0 ? ["no core files"] : []),
  ];
  if (lowered.length === 0)
    return { name, state: "yes", detail: "Berth's own hard limits lower no limit of sandboxes." };
  const detail = `Berth's own hard limits hold in sandboxes, too: ${LIST.format(lowered)}. Raise them where Berth is started: LimitNOFILE, LimitNPROC and LimitCORE of a unit, --ulimit of a container.`;
  return { name, state: "degraded", detail };
}
