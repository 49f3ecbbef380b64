# shellcheck shell=bash disable=SC2034 # some variables are those of save-shell.sh and record-processes.sh
# Sourced by a named bash at the end of each command: keeps what comes back with its next bash, then reports the end. It uses
# builtins only, so that it costs no process, and defines no function, since the functions are listed. It must run to its end
# under whatever options, variables and traps the commands left. Everything that it writes is in the agent's hands: it is read
# again inside the sandbox alone (restore-shell.sh).
#
# $1         exit status of the command
# $2         nonce of the report
# $3         name of the shell
# $4         a number that changes with the rest
# $5         number of the variables that the command was given, whose names follow. They are unset: each command is given its own
# and then   the secrets that it was given. An exported variable that contains one is not kept, and no function and no alias
# descriptor 252 is where to report
#
# Most commands change nothing that is kept, so the disk is not touched for them: what a shell is now is written to a file in
# memory, and compared with what it was when it was last saved. Where those files cannot be used, each command saves.
berth_options=$- berth_set=$SHELLOPTS berth_base=/mnt/session/shells/$3 berth_memory=/dev/shm/.berth-shell-$3
# Without E and T what is sourced below runs without traps, which may print.
set +aefuET
berth_now='' berth_saved=never
# A command may have given the variable another value. The directory may also be gone: then it stays what it is.
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
# Every process descends from process 1, and those that this shell began in the background from this one.
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
