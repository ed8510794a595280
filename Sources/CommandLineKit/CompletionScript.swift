/// A shell whose command lines can be completed.
package enum CompletionShell: String, CaseIterable, Sendable {
  case bash
  case zsh
  case fish
}

extension Command {
  /// The word with which a completion script asks the tool; it is not a command, and not mentioned in help.
  package static var completionEntry: String { "--complete" }

  /// The completion script for a shell; this command is the tool itself.
  ///
  /// The scripts only pass words on, and the tool finds the candidates when asked `TOOL --complete INDEX --
  /// WORDS…`, so a script never becomes outdated.
  package func completionScript(for shell: CompletionShell) -> String {
    switch shell {
    case .bash: bashScript(name)
    case .zsh: zshScript(name)
    case .fish: fishScript(name)
    }
  }

  /// - Parameter request: The words after `completionEntry`; a malformed request gets no offers.
  package func completionAnswer(
    to request: ArraySlice<String>, live: @escaping (CompletionQuestion) -> [Candidate]
  ) -> String {
    guard let index = request.first.flatMap({ Int($0) }), request.dropFirst().first == "--" else {
      return Offers().text
    }
    return offers(for: Array(request.dropFirst(2)), at: index, live: live).text
  }
}

/// Bash also splits words at `=` and `:`, so the script joins them again, and removes from each reply what
/// precedes the piece that bash replaces. Quotes and backslashes are dropped rather than interpreted, since
/// no offered word contains any.
private func bashScript(_ tool: String) -> String {
  #"""
  # Completions of \#(tool) for bash. Put this into ~/.bashrc: source <(\#(tool) completions bash)
  _\#(tool)() {
    local line=$COMP_LINE blank piece head= names= word help i at=0 words=()
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
      piece=${COMP_WORDS[i]}
      blank=${line%%[![:space:]]*}
      line=${line#"$blank"}
      line=${line#"$piece"}
      if ((i == 0)) || [[ -n $blank || -z $piece || -z ${COMP_WORDS[i - 1]} ]]; then
        words+=("")
      fi
      if ((i == COMP_CWORD)); then
        at=$((${#words[@]} - 1))
        head=${words[at]}
        [[ -z $piece || $piece == *[!=:]* ]] || head+=$piece
      fi
      words[${#words[@]} - 1]+=$piece
    done
    words[at]=$head$2
    words=("${words[@]//[\"\'\\]/}")
    head=${head//[\"\'\\]/}
    COMPREPLY=()
    while IFS=$'\t' read -r word help; do
      if [[ -z $names ]]; then names=$word; else COMPREPLY+=("${word#"$head"}"); fi
    done < <(command \#(tool) --complete $((at - 1)) -- "${words[@]:1}" 2>/dev/null)
    if [[ $names == files || $names == directories ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
        if [[ $names == files ]]; then compgen -f -- "$2"; else compgen -d -- "$2"; fi
      )
    elif [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=:] ]]; then
      compopt -o nospace 2>/dev/null
    fi
  }
  complete -o nosort -F _\#(tool) \#(tool) 2>/dev/null || complete -F _\#(tool) \#(tool)

  """#
}

/// No blank follows words that end in `=` or `:`, since they continue.
private func zshScript(_ tool: String) -> String {
  #"""
  #compdef \#(tool)
  # Completions of \#(tool) for zsh. Put this into ~/.zshrc, after compinit: source <(\#(tool) completions zsh)
  _\#(tool)() {
    local line word help ret=1
    local -a said lines whole open
    said=("${(@Q)words[2,-1]}")
    said[CURRENT-1]=${(Q)PREFIX}
    lines=("${(@f)$(command \#(tool) --complete $((CURRENT - 2)) -- "${said[@]}" 2>/dev/null)}")
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
    (( $#whole )) && _describe -V \#(tool) whole && ret=0
    (( $#open )) && _describe -V \#(tool) open -S '' && ret=0
    return ret
  }
  if [[ $funcstack[1] == _\#(tool) ]]; then _\#(tool) "$@"; else compdef _\#(tool) \#(tool); fi

  """#
}

/// Fish adds no blank after a word that ends in `=` or `:`, and reads descriptions after a tab. It shows a
/// completion only the line up to the cursor.
private func fishScript(_ tool: String) -> String {
  #"""
  # Completions of \#(tool) for fish. Run: \#(tool) completions fish > ~/.config/fish/completions/\#(tool).fish
  function __\#(tool)_offers
      set -l before (commandline -opc)
      set -l word (commandline -ct | string replace -r '^["\']' '')
      set -l lines (command \#(tool) --complete (math (count $before) - 1) -- $before[2..] "$word" 2>/dev/null)
      switch "$lines[1]"
          case files directories
              set -l head (string match -r -- '^--[^=]*=' $word)
              set -l path (string replace -- "$head" '' $word)
              set -l names
              if test $lines[1] = files
                  set names (__fish_complete_path $path)
              else
                  set names (__fish_complete_directories $path '')
              end
              printf '%s\n' "$head"$names
          case words
              string join -- \n $lines[2..]
      end
  end
  complete -c \#(tool) -e
  complete -c \#(tool) -f -k -a '(__\#(tool)_offers)'

  """#
}
