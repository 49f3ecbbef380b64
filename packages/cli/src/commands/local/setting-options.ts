import { SETTING_FLAGS } from "@berth/server/settings";
import { Option } from "commander";

/** Returns the settings as options of `berth serve`. */
export function settingOptions(): Option[] {
  return SETTING_FLAGS.map(({ flag, form, help }) => new Option(`${flag} ${form}`, help));
}
