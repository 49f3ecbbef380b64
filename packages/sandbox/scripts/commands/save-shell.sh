# shellcheck shell=bash disable=SC2154 # variables of end-command.sh
# Sourced by end-command.sh, with its arguments, when the state of the shell has changed: writes it to the disk.
#
# It writes two files in turn, so that one is complete whenever it is killed. A complete one ends with "# complete" and a time.
# Lists are written to the file in memory (or to the file on the disk, where that cannot be used) and read back from there: only so a
# builtin's output gets into a variable without another process.
berth_given=("${@:6:$5}") berth_secrets=("${@:6+$5}")
berth_slot=$berth_base.0
if [[ $berth_base.0 -nt $berth_base.1 ]]; then berth_slot=$berth_base.1; fi
if [[ ! -L $berth_slot && ( -f $berth_slot || ! -e $berth_slot ) ]]; then
  berth_scratch=$berth_slot
  if [[ ${berth_now-} == *'# complete' ]]; then berth_scratch=$berth_memory.now; fi
  builtin declare -A berth_began
  builtin mapfile -d '' -t berth_parts </proc/$$/environ
  for berth_part in "${berth_parts[@]}"; do berth_began[${berth_part%%=*}]=${berth_part#*=}; done
  {
    builtin compgen -A variable
    builtin printf '\0'
    builtin declare -pf
    builtin printf '\0'
    builtin alias -p
    builtin printf '\0'
    builtin trap -p
    builtin printf '\0'
    builtin compgen -A export
  } >|"$berth_scratch"
  builtin mapfile -d '' -t berth_parts <"$berth_scratch"
  # restore-shell.sh reports those of these names that it did not restore.
  berth_names=" ${berth_parts[0]//$'\n'/ }"
  for berth_name in "${berth_given[@]}"; do
    if [[ -v $berth_name ]]; then berth_names=${berth_names/" $berth_name "/ }; fi
  done
  berth_functions=${berth_parts[1]-} berth_aliases=${berth_parts[2]-} berth_traps=${berth_parts[3]:+yes}
  berth_exported=${berth_parts[4]-}
  berth_kept=() berth_withheld='' berth_large=''
  if ((${#berth_functions} > 500000)); then
    berth_functions='' berth_large='the functions '
  fi
  if ((${#berth_aliases} > 100000)); then
    berth_aliases='' berth_large+='the aliases '
  fi
  for berth_secret in "${berth_secrets[@]}"; do
    if [[ $berth_functions == *"$berth_secret"* ]]; then berth_functions='' berth_withheld+='the functions '; fi
    if [[ $berth_aliases${BASH_ALIASES[*]-} == *"$berth_secret"* && -n $berth_aliases ]]; then
      berth_aliases='' berth_withheld+='the aliases '
    fi
  done
  while [[ -n $berth_exported ]]; do
    berth_name=${berth_exported%%$'\n'*} berth_exported=${berth_exported#*$'\n'}
    case $berth_name in *[!A-Za-z0-9_]* | berth_* | BASH* | _ | PWD | OLDPWD | SHLVL) continue ;; esac
    [[ ${!berth_name@a} != *[aA]* ]] || continue
    berth_value=${!berth_name-}
    # Every new shell has it.
    if [[ -n ${berth_began[$berth_name]+set} && ${berth_began[$berth_name]} == "$berth_value" ]]; then continue; fi
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
      berth_names "$berth_names" berth_withheld "$berth_withheld" berth_large "$berth_large" berth_traps "$berth_traps"
    builtin umask -p
    if ((${#berth_kept[@]} > 0)); then builtin declare -p "${berth_kept[@]}"; fi
    # Options come first, since bash may need them to parse functions. Aliases come last, since they would be expanded in what follows.
    builtin printf 'builtin shopt -s %s\n%s\n%s\nberth_restored=yes\n# complete %s\n' \
      "${BASHOPTS//:/ }" "$berth_functions" "$berth_aliases" "${EPOCHREALTIME//[!0-9]/}"
  } >|"$berth_slot" && if [[ $berth_scratch != "$berth_slot" ]]; then builtin printf %s "$berth_now" >|"$berth_memory.saved"; fi
fi
