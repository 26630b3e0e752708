# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Modules in which each statement uses the one before twice: trees of 2^n leaves
# in a few hundred bytes. Every command ends with an answer, in little memory and
# on a small stack; limits of the system only end what would not.

if ! command -v python3 >/dev/null 2>&1; then
    echo "skipped: python3 is not there"
    exit 77
fi
# Sanitizers reserve address space by the terabyte, and take ten times as long:
# there every third shape.
space=2000000 depths="40 200" seconds=1200 part=1
if grep -q __asan_init "$diffcheck" 2>/dev/null; then
    space=unlimited depths=40 part=3
fi
[ "${DC_CHAINS_ALL:-}" ] && part=1

# bounded NAME STATUSES ARGS...
bounded()
{
    label=$1 wanted=$2 got=0
    shift 2
    (
        ulimit -s 256
        ulimit -v "$space"
        exec timeout "$seconds" "$diffcheck" "$@"
    ) >"$work/out" 2>"$work/err" </dev/null || got=$?
    case " $wanted " in
    *" $got "*) ;;
    *)
        failed "$label: exit $got, wanted one of: $wanted"
        head -n 5 "$work/err" | cut -c 1-300
        ;;
    esac
}

shapes()
{
    (cd "$folder_of" && ls) | sed -n 's/\([a-z_]*\)\.py$/\1/p' | grep -v other
}

# every DEPTH SHAPE: all commands on it. Runs say 1 where integers overflow.
every()
{
    one=$work/$1/$2.py other=$work/$1/$2-other.py where="$2 of $1"
    set -- "$2"
    sizes=
    [ "$1" = size ] && sizes="--shape n=8"
    bounded "show $where" 0 show "$one"
    bounded "json $where" 0 show --json "$one"
    if [ "$1" = relax ]; then
        bounded "prove $where" 4 prove "$one" "$other"
        bounded "compare $where" 4 compare "$one" "$other"
        return
    fi
    bounded "c $where" 0 show --c "$one"
    bounded "lint $where" "0 1 4" lint "$one"
    # shellcheck disable=SC2086
    for domain in ieee terms ac field interval; do
        bounded "$domain $where" "0 1 4" run --domain "$domain" $sizes "$one"
    done
    bounded "same $where" "0 4" prove "$one" "$one" --certificate "$work/cert"
    if [ -f "$work/cert" ]; then
        bounded "certificate $where" "0 4" check-certificate "$work/cert" \
            "$one" "$one"
        rm "$work/cert"
    fi
    bounded "prove $where" "0 1 4" prove "$one" "$other"
    bounded "compare $where" "0 1 4" compare "$one" "$other"
    bounded "budget $where" "0 1 4" compare --budget 1 "$one" "$other"
}

# What is exponential does not end at 40; what is cubic shows at 200: of some
# shapes, of all where asked.
for depth in $depths; do
    folder_of=$work/$depth
    mkdir "$folder_of"
    python3 "$data/chains.py" "$folder_of" "$depth" || failed "chains.py"
    some=$(shapes | awk -v part="$part" 'NR % part == 0')
    [ "$depth" = 40 ] || [ "${DC_CHAINS_ALL:-}" ] || some="let_int address cell uniform"
    for shape in $some; do
        every "$depth" "$shape"
    done
done
folder_of=$work/40
[ "$(shapes | wc -l)" -ge 20 ] || failed "too few shapes"

# What is shared is proved nevertheless.
for shape in let_float let_int let_product let_max cell_loop address; do
    sed 's/v0/w0/g' "$work/40/$shape.py" >"$work/renamed.py"
    bounded "proved $shape" 0 prove "$work/40/$shape.py" "$work/renamed.py"
    has out '^IDENTICAL'
done

# Long ones.
mkdir "$work/5000"
python3 "$data/chains.py" "$work/5000" 5000 || failed "chains.py"
long="let_float let_int cell cells cell_loop condition"
[ "$space" = unlimited ] && long=let_float
for shape in $long; do
    one=$work/5000/$shape.py
    bounded "show $shape of 5000" 0 show "$one"
    bounded "lint $shape of 5000" "0 4" lint "$one"
    bounded "run $shape of 5000" 0 run "$one"
    bounded "prove $shape of 5000" "0 1 4" prove "$one" \
        "$work/5000/$shape-other.py"
done
