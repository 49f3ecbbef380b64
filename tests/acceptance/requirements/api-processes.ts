import type { Requirement } from "./requirement.ts";

/** Rules for several API processes. */
export const apiProcessRequirements: readonly Requirement[] = [
  {
    id: "api-processes",
    source: "seed 8",
    rule: "With BERTH_API_PROCESSES, so many processes serve the API at one port, with the order of events, the limits and the health of one. Each process answers /metrics for all. At SIGTERM they stop together, after their running requests.",
  },
  {
    id: "api-process-ends",
    source: "seed 8",
    rule: "A process of the API that ends or is frozen is replaced. Until then the others serve every new connection.",
  },
];
