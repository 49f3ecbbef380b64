/** Labels of every container, by which those of a dead process are found. */
export const INSTANCE = "berth.instance";
/** Name of the engine that made it: that of its process, and a number. */
export const OWNER = "berth.owner";
export const SANDBOX = "berth.sandbox";
