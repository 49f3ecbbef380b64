# shellcheck shell=sh disable=SC3045 # each sh knows one of the two letters of ulimit
# Template of the script that a fresh sh reads to start one of several commands that run side by side; see fresh-shell.sh for the other
# words.
#
# __OUT__      path of the pipe that the command writes to
#
# Each command has its own pipes, mark and variables, and runs in a subshell that outlives this shell. The subshell begins its output with
# its pid, the first field of its stat file. This shell opens the pipes, so that they are closed when the subshell has died or could not be
# started.
exec 4<__STDIN__ 5>__OUT__
(
  exec >&5 2>&1 5>&-
  { ulimit -w __MARK__ || ulimit -x __MARK__; } 2>/dev/null
  read -r berth_pid _ </proc/self/stat
  printf '%s\n' "$berth_pid"
  unset -v berth_pid
  __EXPORTS__
  ( cd -- __CWD__ || exit 1
  eval __SCRIPT__
  ) <&4 4<&-
  printf '%s %s %s %s' __NONCE__ "$?" / __NONCE__
) &
exec 4<&- 5>&-
