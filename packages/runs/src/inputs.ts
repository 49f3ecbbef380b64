export type { CloneRepository, SessionRepository } from "./inputs/placement.ts";
