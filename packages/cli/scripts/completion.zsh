#compdef berth
# Completion of Berth's command line in zsh. The program whose name is typed (berth, bin/berth or npx berth) prints the
# candidates, one a line, with a tab before the description.

_berth() {
  local -a program values shown
  local first=2 value description
  program=("${${(Q)words[1]}/#\~\//$HOME/}")
  if [[ ${program[1]:t} == npx ]]; then
    if [[ CURRENT -lt 3 || $words[2] != berth ]]; then _default; return; fi
    program+=(--no-install berth)
    first=3
  fi
  while IFS=$'\t' read -r value description; do
    if [[ $value == :files ]]; then
      compset -P '--*='
      _files
      return
    fi
    values+=("$value")
    shown+=("$value${description:+  -- $description}")
  done < <("${program[@]}" complete -- "${(@Q)words[first,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)
  compadd -l -d shown -a values
}

if [[ $funcstack[1] == _berth ]]; then
  _berth "$@" # loaded from a directory of fpath
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _berth berth
  (( $+_comps[npx] )) || compdef _berth npx
fi
