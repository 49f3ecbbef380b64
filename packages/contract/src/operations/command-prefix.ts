/** Maximum characters of a command prefix. */
export const MAX_COMMAND_PREFIX = 1_000;

/**
 * What may chain another command to the one that a text begins with, redirect it, or hide either: control
 * characters except tabs, `;`, `&`, `|`, backticks, parentheses, `<`, `>`, and a `$` that is not followed by
 * a name. So `${x@P}`, `$[…]` and `$'…'` are operators as `$(…)` is.
 */
const OPERATOR = /[\u0000-\u0008\u000a-\u001f\u007f;&|`()<>]|\$(?![A-Za-z_])/;

/**
 * Returns the first shell operator in a command, or null if it is one simple command. Quotes do not matter: an
 * operator in quotes counts, too, so that no text has to be parsed as a shell does.
 */
export function shellOperatorIn(command: string): string | null {
  return OPERATOR.exec(command)?.[0] ?? null;
}

/** Removes the blanks around a command, which a shell ignores. Newlines at its end are no operators. */
export function trimCommand(command: string): string {
  return command.replace(/^[ \t\n]+/, "").replace(/[ \t\n]+$/, "");
}
