# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# What README.md, examples/README.md, `COMMAND --help` and the manual page show is
# what happens: each command line is run as it is written, in a copy of what it
# needs of a clone; the exit status and, where it is shown, the output are the
# ones said, but for times at the end of a line. examples.awk says what an example
# is. One that is neither run nor listed below is a fault.

# Commands that are not run, or not everywhere: a pattern of the shell, what they
# need (a function need_X; `never`: they are not run), and why. A pattern that no
# command goes by is a fault as well.
excuses()
{
    cat <<'END'
./scripts/demo.sh* :: never :: builds all, with packages from the network; its comparison is run below
./scripts/test.sh* :: never :: runs this test among others
cmake --install * :: never :: tests/packages/install.sh does
(cd build/release && cpack * :: never :: tests/packages/deb.sh does
pip install * :: never :: tests/packages/wheel.sh does
eval "$(diffcheck completion * :: never :: of an interactive shell; cli_completion.sh asks bash and zsh
*completion fish | source* :: never :: of an interactive shell; cli_completion.sh asks fish
*| man * :: man :: no man here
*--before-rev * :: git :: no git here
*--targets gcc-fast-math* :: gcc :: no gcc here
*numpy_sum.py* :: numpy :: no python3 with numpy here
END
}
need_never() { false; }
need_man() { command -v man >/dev/null 2>&1; }
need_git() { command -v git >/dev/null 2>&1; }
need_gcc() { command -v gcc >/dev/null 2>&1; }
need_numpy() { python3 -c 'import numpy' >/dev/null 2>&1; }

# What a line that is run may call, in any of its pipes.
allowed=' diffcheck build/release/fuzz/diffcheck-gen cat cut echo grep head man sed tail '

root=$PWD
program=$(cd "$(dirname "$diffcheck")" && pwd)/$(basename "$diffcheck")
clone=$work/clone
home=$work/home
told=$work/told
: >"$work/used"

# A clone, with what the examples are about.
clone()
{
    rm -rf "$clone" "$home"
    mkdir -p "$clone/build/release/fuzz" "$clone/corpora" "$home"
    cp -R "$root/examples" "$root/README.md" "$clone"
    cp -R "$root/corpora/relax294" "$clone/corpora"
    ln -s "$program" "$clone/build/release/diffcheck"
    ln -s "$(dirname "$program")/fuzz/diffcheck-gen" "$clone/build/release/fuzz"
}

# Its history: the last change was harmless.
commits()
{
    (
        cd "$clone" && export HOME="$home" GIT_CONFIG_NOSYSTEM=1
        cp examples/conv/untuned.py examples/conv/tuned.py
        git init -q . && git config user.name T && git config user.email t@t
        git add examples && git commit -q -m before
        cp "$root/examples/conv/tuned.py" examples/conv/tuned.py
        git commit -q -a -m after
    ) >"$work/git" 2>&1 || failed "no repository: $(cat "$work/git")"
}

# The words of a command line that name programs, one a line.
programs()
{
    sed -e "s/'[^']*'//g; s/\"[^\"]*\"//g; s/#.*//; s/[0-9]*>&[0-9]//g" \
        -e 's/\\$//' | tr '\n' ' ' | tr '|;&' '\n\n\n' |
        awk 'NF { print $1 }'
}

# The line of `excuses` that the command of $1 goes by, if any.
excused()
{
    excuses | while IFS= read -r line; do
        pattern=${line%% :: *}
        # shellcheck disable=SC2254 # a pattern on purpose
        case $1 in $pattern)
            printf '%s\n' "$line"
            break
            ;;
        esac
    done
}

plain()
{
    sed -E 's/ *[0-9]+(\.[0-9]+)? m?s$/ TIME/; s/[[:space:]]+$//' "$1"
}

# Runs the example of $1; what is wrong with it goes to standard output.
example()
{
    line=$(cat "$1.cmd")
    where=$(cat "$1.where")
    excuse=$(excused "$line")
    if [ -n "$excuse" ]; then
        printf '%s\n' "$excuse" >>"$work/used"
        need=${excuse#* :: }
        why=${need#* :: }
        need=${need%% :: *}
        if ! "need_$need"; then
            [ "$need" = never ] || echo "skipped: $where: $why" >&2
            return
        fi
    else
        for word in $(programs <"$1.cmd"); do
            case $allowed in *" $word "*) ;; *)
                echo "$where: '$word' is neither run nor listed"
                return
                ;;
            esac
        done
    fi
    got=0
    (
        cd "$clone" && PATH=$clone/build/release:$PATH HOME=$home &&
            export PATH HOME && unset XDG_CACHE_HOME &&
            exec sh "$1.cmd" >"$work/printed" 2>&1 </dev/null
    ) || got=$?
    if [ "$got" != "$(cat "$1.status")" ]; then
        echo "$where: exit $got, not $(cat "$1.status"): $line"
        sed 's/^/    /' "$work/printed"
    fi
    [ -f "$1.out" ] || return 0
    plain "$1.out" >"$work/shown.out"
    plain "$work/printed" >"$work/printed.out"
    diff "$work/shown.out" "$work/printed.out" >"$work/other" || {
        echo "$where: prints something else: $line"
        sed 's/^/    /' "$work/other"
    }
}

# judge KIND LABEL TEXT: leaves in $told what is wrong with the examples of a text.
judge()
{
    rm -rf "$work/shown"
    mkdir "$work/shown"
    awk -v kind="$1" -v label="$2" -v dir="$work/shown" \
        -f "$root/tests/cli/examples.awk" "$3" >"$told"
    clone
    if need_git && grep -q -e --before-rev "$work"/shown/*.cmd 2>"$work/git"; then
        commits
    fi
    for command in "$work"/shown/*.cmd; do
        [ -f "$command" ] || continue
        example "${command%.cmd}" >>"$told"
    done
}

# right KIND LABEL TEXT: there are examples, and nothing is wrong with them.
right()
{
    judge "$@"
    [ -f "$work/shown/001.cmd" ] || failed "$2: no example"
    [ ! -s "$told" ] || failed "$(cat "$told")"
}

# ---- the texts ---------------------------------------------------------------------

right markdown README.md README.md
[ "$(wc -l <README.md)" -le 150 ] || failed "README.md: longer than a page"
# the four uses, each with what it prints
for use in 'diffcheck examples/' 'diffcheck gate --before' 'diffcheck bundle' \
    '--expect' 'diffcheck merge' 'diffcheck-gen --check-verdicts'; do
    grep -l -e "$use" "$work"/shown/*.cmd >"$work/uses" 2>/dev/null ||
        failed "README.md: no '$use'"
done
for use in 'diffcheck examples/' 'diffcheck gate' '--expect' 'diffcheck merge' \
    'diffcheck-gen'; do
    printed=no
    for command in $(grep -l -e "$use" "$work"/shown/*.cmd); do
        [ ! -s "${command%.cmd}.out" ] || printed=yes
    done
    [ "$printed" = yes ] || failed "README.md: not what '$use' prints"
done
# what the script runs that ends the way from a bare system
words=$(sed -n '/^command=(/,/)/p' scripts/demo.sh | tr -d '()\n' |
    sed "s,^command=,,; s,\"\$pair/,corpora/relax294/,g; s,\",,g")
[ -x scripts/demo.sh ] && [ -x scripts/test.sh ] || failed "scripts: not there"
clone
(cd "$clone" && sh -c "$words" >"$work/out" 2>&1) ||
    failed "scripts/demo.sh: '$words': $(cat "$work/out")"

right markdown examples/README.md examples/README.md

"$program" --help >"$work/help"
right help 'diffcheck --help' "$work/help"
for topic in $("$program" completion list | cut -d' ' -f1 | sort -u) completion; do
    "$program" "$topic" --help >"$work/help"
    right help "diffcheck $topic --help" "$work/help"
    [ "$topic" = compare ] || grep -q -e "diffcheck $topic" "$work"/shown/*.cmd ||
        failed "diffcheck $topic --help: no example of it"
done

"$program" help --man >"$work/page"
right man 'diffcheck.1' "$work/page"
if command -v mandoc >/dev/null 2>&1; then
    mandoc -Tutf8 "$work/page" | sed 's/.\x08//g' >"$work/read"
    cat "$work"/shown/*.cmd | while IFS= read -r line; do
        grep -qF -e "$line" "$work/read" || echo "$line"
    done >"$work/lost"
    [ ! -s "$work/lost" ] || failed "diffcheck.1, as it is read: $(cat "$work/lost")"
fi

excuses | while IFS= read -r line; do
    grep -qxF -e "$line" "$work/used" || echo "$line"
done >"$work/lost"
[ ! -s "$work/lost" ] || failed "listed and shown nowhere: $(cat "$work/lost")"

# ---- that all this can fail --------------------------------------------------------

pair='examples/tail/tuned.py examples/tail/untuned.py'
clone
(
    cd "$clone" || exit
    printf '# Sample\n\n    $ %s\n' "diffcheck $pair  # exit 1"
    # shellcheck disable=SC2086 # two words
    "$program" $pair | sed 's/^/    /; s/ *$//'
    printf '\nText.\n\n    $ %s\n' \
        'diffcheck gate --before examples/before --after examples/after -v # exit 1'
    "$program" gate --before examples/before --after examples/after -v --no-store |
        sed 's/^/    /'
    printf '\nText.\n\n    diffcheck lint examples/matmul/tuned.py\n'
) >"$work/sample.md"
grep -q '2 of 30' "$work/sample.md" || failed "sample: $(cat "$work/sample.md")"

# doctored NAME WANTED KIND: the text on standard input has this one fault
doctored()
{
    cat >"$work/doctored"
    judge "$3" "$1" "$work/doctored"
    faults=$(grep -c "^$1:[0-9]*: " "$told" || true)
    if [ "$faults" != 1 ] || ! grep -qE -e "$2" "$told"; then
        failed "a text with one fault, '$1', not '$2': $(cat "$told")"
    fi
}

judge markdown sample "$work/sample.md"
[ ! -s "$told" ] || failed "a right text: $(cat "$told")"
# times are elided, and nothing else
sed -E 's/checked, [0-9]+ ms/checked, 12.5 s/' "$work/sample.md" >"$work/times.md"
judge markdown times "$work/times.md"
[ ! -s "$told" ] || failed "another time: $(cat "$told")"

sed 's/2 of 30/3 of 30/' "$work/sample.md" |
    doctored value 'prints something else' markdown
sed 's/4 checked/5 checked/' "$work/sample.md" |
    doctored count 'prints something else' markdown
sed '/^    Reproduce/d' "$work/sample.md" |
    doctored lost 'prints something else' markdown
sed 's/^    Reproduce/    More of it\n&/' "$work/sample.md" |
    doctored more 'prints something else' markdown
sed 's/untuned\.py  # exit 1/untuned.py/' "$work/sample.md" |
    doctored status 'exit 1, not 0' markdown
sed 's,lint examples/matmul/tuned.py,&  # exit 1,' "$work/sample.md" |
    doctored finding 'exit 0, not 1' markdown
sed 's,lint examples/matmul,lint examples/gone,' "$work/sample.md" |
    doctored gone 'exit 2, not 0' markdown
sed 's,    diffcheck lint .*,    make install,' "$work/sample.md" |
    doctored unlisted "'make' is neither run nor listed" markdown
sed 's,lint examples/matmul.*,& | sh,' "$work/sample.md" |
    doctored pipe "'sh' is neither run nor listed" markdown
sed 's,    diffcheck lint .*,&\n\nText:\n  diffcheck lint x.py,' "$work/sample.md" |
    doctored outside 'in no block' markdown
printf 'Text.\n```\ndiffcheck lint examples/matmul/tuned.py\n' |
    doctored fence 'a fence that does not end' markdown
printf 'Text.\n\n  diffcheck lint examples/guard/tuned.py\n\nText.\n' |
    doctored help 'exit 1, not 0' help
printf 'Text:\n  diffcheck lint examples/guard/tuned.py\n' |
    doctored prose 'in no block' help
printf '.Dl diffcheck lint examples/guard/tuned.py\n' |
    doctored page 'exit 1, not 0' man
printf '.Bd -literal\ndiffcheck lint \\e\n    examples/guard/tuned.py\n.Ed\n' |
    doctored display 'exit 1, not 0' man
