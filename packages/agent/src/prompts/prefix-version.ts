/**
 * The form of the prefix and of tool results, which a session keeps from its creation on. A release that
 * changes the form raises the number, and makes the former form for sessions with a lower one.
 */
export const PREFIX_VERSION = 1;
