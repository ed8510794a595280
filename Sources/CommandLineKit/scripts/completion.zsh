#compdef TOOL
# Completions of TOOL for zsh. Put this into ~/.zshrc, after compinit: source <(TOOL completions zsh)
_TOOL() {
  local line word help ret=1
  local -a said lines whole open
  said=("${(@Q)words[2,-1]}")
  said[CURRENT-1]=${(Q)PREFIX}
  lines=("${(@f)$(command TOOL --complete $((CURRENT - 2)) -- "${said[@]}" 2>/dev/null)}")
  case $lines[1] in
    files | directories)
      compset -P '--[^=]#='
      if [[ $lines[1] == files ]]; then _files; else _files -/; fi
      return
      ;;
  esac
  for line in "${(@)lines[2,-1]}"; do
    word=${line%%$'\t'*} help=
    [[ $line == *$'\t'* ]] && help=:${line#*$'\t'}
    if [[ $word == *[=:] ]]; then open+=("${word//:/\\:}$help"); else whole+=("${word//:/\\:}$help"); fi
  done
  (( $#whole )) && _describe -V TOOL whole && ret=0
  (( $#open )) && _describe -V TOOL open -S '' && ret=0
  return ret
}
if [[ $funcstack[1] == _TOOL ]]; then _TOOL "$@"; else compdef _TOOL TOOL; fi
