# Completion of mlmilterctl for fish: the words of bash's completion, which is installed beside this one; where it has
# none, files.
set -g __mlmilterctl_folder (dirname (status filename))
function __mlmilterctl_words
    set -l words (bash -c '. "$1" && shift && _mlmilterctl_words "$@"' bash \
        $__mlmilterctl_folder/../../bash-completion/completions/mlmilterctl (commandline -opc) (commandline -ct) 2>/dev/null)
    if set -q words[1]
        printf '%s\n' $words
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c mlmilterctl -f -a '(__mlmilterctl_words)'
