/** Internals for tests of other packages. */
export { archiveLocked } from "../../src/features/sessions/end-session.ts";
export { diskBytes, sandboxSecondsToday } from "../../src/features/sessions/events/work-store.ts";
export { requestRetry, updateSecret } from "../../src/features/sessions/resources/resource-store.ts";
export { markDeleted } from "../../src/features/sessions/session-store.ts";
export { storeRead } from "../../src/features/sessions/workspace/read-store.ts";
export { WorkspaceReads } from "../../src/features/sessions/workspace/workspace-reads.ts";
export { insertSkill } from "../../src/features/skills/skill-store.ts";
export { insertSkillVersion } from "../../src/features/skills/skill-version-store.ts";
