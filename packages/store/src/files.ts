export {
  allContents,
  keepContents,
  lockContent,
  lockContents,
  removeUnusedContent,
  usedContents,
} from "./files/content-store.ts";
export { mimeTypeByName, mimeTypeOf } from "./files/mime-type.ts";
