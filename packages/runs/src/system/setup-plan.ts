import { type LayerPlan, type LayerRuntimes, quote } from "@berth/sandbox";
import { egressPolicy } from "../egress/egress-policy.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";

/** Returns the plan of the setup script's layer, with the environment's networking and variables. */
export function setupPlan(
  { setupScript, networking, variables }: RunSession,
  runtimes: LayerRuntimes | null,
): LayerPlan[] {
  if (setupScript === null) return [];
  return [
    {
      name: "setup script",
      script: runScript(setupScript),
      environment: {
        NPM_CONFIG_PREFIX: "/usr/local",
        ...runtimes?.variables,
        ...variables,
        HOME: "/home/agent",
      },
      egress: egressPolicy({ networking }, [], []),
      runtimes,
    },
  ];
}

/** Wraps the script. Another user than the session's owns its files, so they are made readable. */
function runScript(script: string): string {
  return `cd /home/agent
printf %s ${quote(script)} >/tmp/setup && chmod 755 /tmp/setup
case $(head -c 2 /tmp/setup) in '#!') /tmp/setup </dev/null ;; *) /bin/sh -e /tmp/setup </dev/null ;; esac || exit
rm -rf /var/lib/apt/lists/* && chmod -R a+rX /home/agent`;
}
