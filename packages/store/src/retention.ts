export { readRetention, storeRetention } from "./retention/retention-store.ts";
