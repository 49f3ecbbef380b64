export {
  type CatalogueDeps,
  type ListedRuntime,
  RUNTIME_TITLES,
  RuntimeCatalogue,
} from "./runtimes/catalogue.ts";
export type { Archive, Contents, Release } from "./runtimes/release.ts";
export { releasesOf } from "./runtimes/release-store.ts";
export { runtimeSources } from "./runtimes/sources.ts";
export { compareVersions, matchVersion, newestOfLines } from "./runtimes/versions.ts";
