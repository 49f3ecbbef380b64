# Completion of Berth's command line in fish. The program whose name is typed (berth, bin/berth or npx berth) prints the
# candidates, one a line, with a tab before the description.

function __berth_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    if string match -qr '(^|/)npx$' -- $program
        set program $program --no-install berth
        set -e words[1]
    end
    set -e words[1]
    for line in ($program complete -- $words "$current" 2>/dev/null)
        if test $line = :files
            __fish_complete_path "$current"
        else
            printf '%s\n' $line
        end
    end
end

complete -c berth -f -a '(__berth_complete)'
complete -c npx -n 'set -l words (commandline -opc); test "$words[2]" = berth' -f -a '(__berth_complete)'
