export { SkillDirectories } from "./skills/skill-directories.ts";
