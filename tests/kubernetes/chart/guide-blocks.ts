import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { ClusterObject } from "../../../script/chart/render-chart.ts";

const GUIDE = join(import.meta.dirname, "../../../docs/guides/kubernetes.md");

/** Returns the objects and values in the guide's YAML blocks. */
export function guideBlocks(): ClusterObject[] {
  const guide = readFileSync(GUIDE, "utf8");
  return [...guide.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = ""]) => parse(text));
}
