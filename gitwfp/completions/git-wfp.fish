# fish completion for git wfp; git wfp completion fish prints it.

# Prints the words after git wfp, the last one as far as it is typed; fails on another command.
function __git_wfp_words
    set -l tokens (commandline -opc)
    set -l at 2
    if test "$tokens[1]" = git
        while set -q tokens[$at]
            switch $tokens[$at]
                case wfp
                    break
                case -C -c --git-dir --work-tree --namespace
                    set at (math $at + 2)
                case '-*'
                    set at (math $at + 1)
                case '*'
                    return 1
            end
        end
        set -q tokens[$at]; or return 1
        set at (math $at + 1)
    end
    set -q tokens[$at]; and printf '%s\n' $tokens[$at..-1]
    printf '%s\n' (commandline -ct)
end

function __git_wfp_candidates
    set -l line (__git_wfp_words); or return
    git wfp complete -- $line 2>/dev/null | while read -l --line word meaning
        printf '%s\t%s\n' $word $meaning
    end
end

complete -c git -n '__git_wfp_words >/dev/null' -f -a '(__git_wfp_candidates)'
complete -c git-wfp -f -a '(__git_wfp_candidates)'
