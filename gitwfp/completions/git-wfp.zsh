#compdef git-wfp
#description works on plans

# zsh completion for git wfp; git wfp completion zsh prints it.
#
# As _git-wfp on fpath it serves "git-wfp", and "git wfp" through zsh's own completion of git.

_git-wfp() {
    local word meaning
    local -a found
    while IFS= read -r word && IFS= read -r meaning; do
        found+=("${word//:/\\:}:${meaning}")
    done < <(git wfp complete --quoted -- "${(@)words[2,CURRENT]}" 2>/dev/null)
    _describe -t git-wfp 'git wfp' found
}

if [[ $funcstack[1] == _git-wfp ]]; then
    _git-wfp "$@"
elif (( $+functions[compdef] )); then
    compdef _git-wfp git-wfp
    zstyle ':completion:*:*:git:*' user-commands wfp:'works on plans'
fi
