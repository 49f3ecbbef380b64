# shellcheck shell=bash disable=SC2154 # berth_secrets of record-processes.sh
# Sourced by a named bash at the end of each command: keeps what comes back with its next bash, then reports the end. It uses
# builtins only, so that it costs no process, and defines no function, since the functions are listed. It must run to its end
# under whatever options, variables and traps the commands left. Everything that it writes is in the agent's hands: it is read
# again inside the sandbox alone (restore-shell.sh).
#
# $1         exit status of the command
# $2         nonce of the report
# $3         name of the shell
# $4         number of the variables that the command was given, whose names follow. They are unset: each command is given its own
# and then   the secrets that it was given. An exported variable that contains one is not kept, and no function
# descriptor 252 is where to report
#
# Two files are written in turns, so that one is whole whenever this is killed. A whole one ends with "# complete" and a time.
berth_options=$- berth_set=$SHELLOPTS
set +fu
berth_base=/mnt/session/shells/$3
berth_secrets=("${@:5+$4}")
if (($4 > 0)); then
  # A variable that is read-only cannot be unset.
  builtin unset -v "${@:5:$4}" 2>/dev/null || builtin export -n "${@:5:$4}" 2>/dev/null
fi
berth_slot=$berth_base.0
if [[ $berth_base.0 -nt $berth_base.1 ]]; then berth_slot=$berth_base.1; fi
if [[ ! -L $berth_slot && ( -f $berth_slot || ! -e $berth_slot ) ]]; then
  builtin declare -A berth_given
  builtin mapfile -d '' -t berth_text </proc/$$/environ
  for berth_line in "${berth_text[@]}"; do berth_given[${berth_line%%=*}]=${berth_line#*=}; done
  for berth_name in "${@:5:$4}"; do berth_given[$berth_name]=''; done
  {
    builtin compgen -A variable
    builtin printf '=\n'
    builtin compgen -A function
  } >|"$berth_slot"
  builtin mapfile -t berth_names <"$berth_slot"
  berth_functions='' berth_plain='' berth_withheld='' berth_large='' berth_kept=()
  if [[ ${berth_names[-1]-=} != = ]]; then
    builtin declare -pf >|"$berth_slot"
    builtin mapfile -d '' -n 1 berth_text <"$berth_slot"
    berth_functions=${berth_text[0]-}
    if ((${#berth_functions} > 500000)); then
      berth_functions='' berth_large='the functions '
    fi
    for berth_secret in "${berth_secrets[@]}"; do
      if [[ $berth_functions == *"$berth_secret"* ]]; then berth_functions='' berth_withheld='the functions '; fi
    done
  fi
  for berth_name in "${berth_names[@]}"; do
    case $berth_name in
    =) break ;;
    berth_* | BASH* | _ | PWD | OLDPWD | SHLVL | COMP_*) continue ;;
    esac
    berth_flags=${!berth_name@a}
    if [[ $berth_flags != *x* || $berth_flags == *[aA]* ]]; then
      [[ -n ${berth_given[$berth_name]+set} ]] || berth_plain+="$berth_name "
      continue
    fi
    berth_value=${!berth_name-}
    # It comes with every shell.
    if [[ -n ${berth_given[$berth_name]+set} && ${berth_given[$berth_name]} == "$berth_value" ]]; then continue; fi
    for berth_secret in "${berth_secrets[@]}"; do
      if [[ $berth_value == *"$berth_secret"* ]]; then
        berth_withheld+="$berth_name "
        continue 2
      fi
    done
    if ((${#berth_value} > 100000)); then
      berth_large+="$berth_name "
    else
      berth_kept+=("$berth_name")
    fi
  done
  {
    builtin printf '%s=%q\n' berth_directory "$PWD" berth_shopt "$BASHOPTS" berth_set "$berth_set" \
      berth_plain "$berth_plain" berth_withheld "$berth_withheld" berth_large "$berth_large"
    builtin umask -p
    if ((${#berth_kept[@]} > 0)); then builtin declare -p "${berth_kept[@]}"; fi
    # Functions may need options to be read at all.
    builtin printf 'builtin shopt -s %s\n%s\nberth_restored=yes\n# complete %s\n' \
      "${BASHOPTS//:/ }" "$berth_functions" "${EPOCHREALTIME//[!0-9]/}"
  } >|"$berth_slot"
fi
if [[ -f $berth_base.attempts && -s $berth_base.attempts && ! -L $berth_base.attempts ]]; then
  : >|"$berth_base.attempts"
fi
builtin . /run/berth/record-processes
if [[ $berth_options == *f* ]]; then set -f; fi
if [[ $berth_options == *u* ]]; then set -u; fi
builtin unset -v "${!berth_@}"
builtin printf '%s %s %s %s' "$2" "$1" "$PWD" "$2" >&252
