# bash completion for git wfp; git wfp completion bash prints it.
#
# git's own completion calls _git_wfp for "git wfp"; for "git-wfp" it is registered here.
# What comes from a repository is quoted before bash sees it.

_git_wfp() {
    local at=${__git_cmd_idx:-} index
    if [[ -z $at ]]; then
        for ((index = 1; index < cword; index++)); do
            if [[ ${words[index]} == wfp ]]; then at=$index; break; fi
        done
    fi
    _git_wfp_reply __git_wfp_ask "$cur" "${words[@]:at+1:cword-at}"
}

__git_wfp_ask() {
    git ${__git_C_args[@]+"${__git_C_args[@]}"} ${__git_dir:+--git-dir="$__git_dir"} wfp "$@" 2>/dev/null
}

__git_wfp_ask_alone() {
    git-wfp "$@" 2>/dev/null
}

# Fills COMPREPLY: who is asked, the word as readline takes it, then all words.
_git_wfp_reply() {
    local ask=$1 typed=$2 word meaning shown cut=''
    shift 2
    # Readline replaces only what follows the last of its own word breaks.
    if [[ $typed == *=* && ${COMP_WORDBREAKS-} == *=* ]]; then cut=${typed%"${typed##*=}"}; fi
    if [[ $typed == *:* && ${COMP_WORDBREAKS-} == *:* ]]; then cut=${typed%"${typed##*:}"}; fi
    COMPREPLY=()
    while IFS= read -r word && IFS= read -r meaning; do
        case $typed in
        \'*)
            if [[ $word == *\'* ]]; then continue; fi
            shown=$word
            ;;
        \"*)
            if [[ $word == *[\"\$\`\\!]* ]]; then continue; fi
            shown=$word
            ;;
        *)
            printf -v shown %q "${word#"$cut"}"
            if [[ $word != */ && $word != *= ]]; then shown+=' '; fi
            ;;
        esac
        COMPREPLY+=("$shown")
    done < <("$ask" complete --quoted -- "$@")
}

_git_wfp_alone() {
    local cur=${COMP_WORDS[COMP_CWORD]}
    local line=("${COMP_WORDS[@]:1:COMP_CWORD}")
    if declare -F _get_comp_words_by_ref >/dev/null; then
        local words cword
        _get_comp_words_by_ref -n =: cur words cword
        line=("${words[@]:1:cword}")
    fi
    _git_wfp_reply __git_wfp_ask_alone "$cur" "${line[@]}"
}

complete -o bashdefault -o default -o nospace -F _git_wfp_alone git-wfp
