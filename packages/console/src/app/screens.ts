import { administrationNav, administrationRoute } from "../screens/administration/route.ts";
import { agentRoutes, agentsNav } from "../screens/agents/route.ts";
import { connectionsNav, connectionsRoute } from "../screens/connections/route.ts";
import { deploymentRoutes, deploymentsNav } from "../screens/deployments/route.ts";
import { deviceRoute } from "../screens/device/route.ts";
import { environmentRoutes, environmentsNav } from "../screens/environments/route.ts";
import { fileRoutes, filesNav } from "../screens/files/route.ts";
import { forwardNav, forwardRoute } from "../screens/forward/route.ts";
import { healthNav, healthRoute } from "../screens/health/route.ts";
import { homeNav, homeRoute } from "../screens/home/route.ts";
import { memoryStoreRoutes, memoryStoresNav } from "../screens/memory-stores/route.ts";
import { newSessionRoute } from "../screens/new-session/route.ts";
import { sessionRoute } from "../screens/session/route.ts";
import { sessionsNav, sessionsRoute } from "../screens/sessions/route.ts";
import { signInRoute } from "../screens/sign-in/route.ts";
import { skillRoutes, skillsNav } from "../screens/skills/route.ts";
import { tokensNav, tokensRoute } from "../screens/tokens/route.ts";
import { usageNav, usageRoute } from "../screens/usage/route.ts";
import { vaultRoute, vaultsNav, vaultsRoute } from "../screens/vaults/route.ts";
import { webhooksNav, webhooksRoute } from "../screens/webhooks/route.ts";
import type { NavItem } from "../shell/sidebar.tsx";

/**
 * The routes of all screens. A screen is a folder of `screens` with its route in `route.ts`, and is loaded on
 * demand.
 */
export const routes = [
  homeRoute,
  sessionsRoute,
  newSessionRoute,
  sessionRoute,
  ...deploymentRoutes,
  ...agentRoutes,
  ...environmentRoutes,
  ...fileRoutes,
  ...skillRoutes,
  ...memoryStoreRoutes,
  vaultsRoute,
  vaultRoute,
  connectionsRoute,
  webhooksRoute,
  forwardRoute,
  tokensRoute,
  deviceRoute,
  usageRoute,
  healthRoute,
  administrationRoute,
  signInRoute,
] as const;

/** The navigation, in groups. */
export const navigation: readonly (readonly NavItem[])[] = [
  [homeNav, sessionsNav, deploymentsNav],
  [
    agentsNav,
    environmentsNav,
    filesNav,
    skillsNav,
    memoryStoresNav,
    vaultsNav,
    connectionsNav,
    webhooksNav,
    forwardNav,
  ],
  [usageNav, tokensNav, healthNav, administrationNav],
];
