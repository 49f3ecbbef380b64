export {
  MAX_ENTRIES,
  MAX_UNPACKED_BYTES,
  type PackedFile,
  type PackedSkill,
  packSkill,
  shown,
  type UploadedFile,
} from "./skills/pack-skill.ts";
export { isIgnored, pathFault } from "./skills/skill-paths.ts";
