export { abandonedLeases } from "./lease/abandoned-leases-store.ts";
export { apisSeen, markSeen, otherHostsSeen, runnersSeen, settingsOfOthers } from "./lease/host-store.ts";
export { newOwnerName } from "./lease/lease-owner.ts";
export { leaveHosts, removeGoneHosts } from "./lease/untied-hosts-store.ts";
