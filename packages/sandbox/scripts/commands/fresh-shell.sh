# shellcheck shell=sh disable=SC3045 # each sh knows one of the two letters of ulimit
# Template of the script that a fresh sh reads to run one command. Words in double underscores are replaced (command-script.ts), and
# comments are left out. Values are in the text, not in variables, because the command could read variables, and must not learn the
# nonce.
#
# __STDIN__    path of the command's standard input
# __MARK__     the mark of the command, a resource limit (marks.ts). Each sh knows one of two letters for it
# __EXPORTS__  lines that export its variables
# __CWD__      its working directory
# __SCRIPT__   its text
# __NONCE__    what begins and ends the line that reports its exit status
#
# The newline reports that the pipes are open. The command runs through eval in a subshell, so that a syntax error, "exit" or
# "exec" ends only that. The last line exits, since the pipe with this script may stay open.
exec 4<__STDIN__
echo
{ ulimit -w __MARK__ || ulimit -x __MARK__; } 2>/dev/null
__EXPORTS__
( cd -- __CWD__ || exit 1
eval __SCRIPT__
) <&4 4<&-
printf '%s %s %s %s' __NONCE__ "$?" / __NONCE__
exit
