# Completions of TOOL for fish. Run: TOOL completions fish > ~/.config/fish/completions/TOOL.fish
function __TOOL_offers
    set -l before (commandline -opc)
    set -l word (commandline -ct | string replace -r '^["\']' '')
    set -l lines (command TOOL --complete (math (count $before) - 1) -- $before[2..] "$word" 2>/dev/null)
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
complete -c TOOL -e
complete -c TOOL -f -k -a '(__TOOL_offers)'
