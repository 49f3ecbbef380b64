/** A door of its own: settings are read without the API. */
export { proxyList } from "./http/proxy-list.ts";
