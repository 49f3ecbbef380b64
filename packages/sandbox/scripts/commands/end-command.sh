# shellcheck shell=bash disable=SC2034 # some variables are those of save-shell.sh and record-processes.sh
# Sourced by a named bash at the end of each command: saves the state that the next bash of this name restores, then reports the end.
# It uses only builtins, so that it starts no process, and defines no function, since it saves the list of functions. It must run to
# its end under all options, variables and traps that the commands may have left. The agent can change everything that it writes, so
# that is only read inside the sandbox (restore-shell.sh).
#
# $1         exit status of the command
# $2         nonce of the report
# $3         name of the shell
# $4         a number that changes whenever $5 and what follows do
# $5         the number of variables that the command was given, whose names follow. They are unset: each command gets its own
# and then   the secrets that the command was given. No exported variable, function or alias that contains one is saved
# The report goes to descriptor 252.
#
# Most commands change nothing of the state, and then the disk is not written: the present state is written to a file in memory, and
# compared with the state that was last saved. Where files in memory cannot be used, each command saves.
berth_options=$- berth_set=$SHELLOPTS berth_base=/mnt/session/shells/$3 berth_memory=/dev/shm/.berth-shell-$3
# Without E and T no trap runs in the files sourced below. A trap might print something.
set +aefuET
berth_now='' berth_saved=never
# A command may have changed the variable. If the directory is gone, it stays as it is.
if ! [[ ${PWD-} -ef . ]]; then
  berth_oldpwd=${OLDPWD-}
  builtin cd . >/dev/null 2>&1 && OLDPWD=$berth_oldpwd
fi
if (($5 > 0)); then
  # A variable that is read-only cannot be unset.
  builtin unset -v "${@:6:$5}" 2>/dev/null || builtin export -n "${@:6:$5}" 2>/dev/null
fi
if [[ -f $berth_memory.now && ! -L $berth_memory.now && -f $berth_memory.saved && ! -L $berth_memory.saved ]]; then
  {
    builtin printf '%s %s %s %s\n' "$4" "$PWD" "$BASHOPTS" "$berth_set"
    builtin umask
    builtin declare -px
    builtin compgen -A variable
    builtin declare -pf
    builtin alias -p
    builtin trap -p
    builtin printf '# complete'
  } >|"$berth_memory.now"
  builtin mapfile -d '' -n 1 berth_now <"$berth_memory.now"
  builtin mapfile -d '' -n 1 berth_saved <"$berth_memory.saved"
fi
if ! builtin [ "${berth_now-}" = "${berth_saved-never}" ] || [[ ! (-s $berth_base.0 || -s $berth_base.1) ]]; then
  builtin . /run/berth/save-shell
fi
if [[ -s $berth_base.attempts && -f $berth_base.attempts && ! -L $berth_base.attempts ]]; then
  : >|"$berth_base.attempts"
fi
# All processes descend from process 1, and the background jobs of this shell from this shell.
builtin mapfile -t berth_children </proc/1/task/1/children
if [[ "${berth_children-}" != "$$ " || -n ${!-} || -s /mnt/session/shells/processes ]]; then
  builtin . /run/berth/record-processes
fi
case $berth_options in *[aefuET]*)
  for berth_letter in a E f T u e; do
    if [[ $berth_options == *$berth_letter* ]]; then set -$berth_letter; fi
  done ;;
esac
builtin unset -v "${!berth_@}"
builtin printf '%s %s %s %s' "$2" "$1" "$PWD" "$2" >&252
