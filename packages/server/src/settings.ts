/** Separate entry point: commands about the settings need nothing else of the server. */
export { ConfigError } from "./config/config-error.ts";
export { describeSettings } from "./config/describe-settings.ts";
export { placedFaults } from "./config/placed-faults.ts";
export { readSettings, type SettingValues } from "./config/read-config.ts";
export { SETTING_FLAGS } from "./config/settings.ts";
export { plainHttpWarning } from "./config/tls-files.ts";
export { unknownVariables } from "./config/unknown-variables.ts";
export { withPlace } from "./config/with-place.ts";
