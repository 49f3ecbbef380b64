# shellcheck shell=bash disable=SC2154 # variables of end-command.sh
# Sourced by end-command.sh, with its arguments, when something has changed: writes the state of the shell to the disk.
#
# Two files are written in turns, so that one is whole whenever this is killed. A whole one ends with "# complete" and a time.
# Lists are written to the file in memory, or where that cannot be used to the file on the disk, to be read from there: a builtin
# has no other way to give them to the shell that costs no process.
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
  # Of these names restore-shell.sh tells those that it did not bring back.
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
    # It comes with every shell.
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
    # Functions may need options to be read at all. Aliases come last: they would be expanded in what is read after them.
    builtin printf 'builtin shopt -s %s\n%s\n%s\nberth_restored=yes\n# complete %s\n' \
      "${BASHOPTS//:/ }" "$berth_functions" "$berth_aliases" "${EPOCHREALTIME//[!0-9]/}"
  } >|"$berth_slot" && if [[ $berth_scratch != "$berth_slot" ]]; then builtin printf %s "$berth_now" >|"$berth_memory.saved"; fi
fi
