/** A door of its own, because settings are read without loading the API. */
export { proxyList } from "./http/proxy-list.ts";
