import axe from "axe-core";
import type { Page } from "playwright-core";
import type { AnyJson } from "../../acceptance/harness/api.ts";
import { drawn } from "./drawn.ts";

/**
 * Returns the faults that axe finds in the light theme, and colour contrast faults in the dark theme.
 * `within` limits it to a part of the page, such as a menu, which lies outside the landmarks.
 */
export async function accessibilityFaults(page: Page, within?: string): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  const faults: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await drawn(page);
    const options = {
      resultTypes: ["violations"],
      ...(colorScheme === "dark" ? { runOnly: ["color-contrast"] } : {}),
      rules: { region: { enabled: within === undefined } },
    };
    const context = within === undefined ? "document" : JSON.stringify(within);
    const { violations } = await page.evaluate<AnyJson>(`axe.run(${context}, ${JSON.stringify(options)})`);
    for (const { id, nodes } of violations)
      faults.push(`${colorScheme}: ${id}: ${nodes[0]?.html}: ${nodes[0]?.failureSummary}`);
  }
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  return faults;
}
