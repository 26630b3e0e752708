#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# selftest.sh CHECK: shows that a style check can fail. For each row a clean
# little tree, on which the check must pass, gets one fault, and the check
# must then exit 1 and name it.

set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
rows=0
bad=0

write()
{
    mkdir -p "$(dirname "$tree/$1")"
    cat >"$tree/$1"
}

# The clean tree: a header and a source a layer, one folder with a README.
clean()
{
    rm -rf "$tree"
    mkdir -p "$tree"
    cp "$here/../../.clang-format" "$tree/"
    for layer in ir interp diff; do
        upper=$(echo "$layer" | tr a-z A-Z)
        write "$layer/$layer.h" <<END
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DC_${upper}_${upper}_H
#define DC_${upper}_${upper}_H

int ${layer}_answer(void);

#endif
END
        write "$layer/run_$layer.c" <<END
/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives the answer of this layer. The comment that a file opens with says
 * what it does, "malloc(3)" included, and is no code.
 */
#include "$layer/$layer.h"

int ${layer}_answer(void)
{
    return 42; // not exit(42)
}
END
        echo "# $layer: a layer, see \`$layer/$layer.h\`" |
            write "$layer/README.md"
    done
    write diffcheck <<'END'
#!/bin/sh
if [ "$1" = help ]; then
    echo ".It Cm compare"
    echo ".It Fl -era"
    exit
fi
echo "Commands:"
echo "  compare  compares"
echo "Options:"
echo "  --era E  the era"
END
    chmod +x "$tree/diffcheck"
}

verdict()
{
    case $check in
    docs) sh "$here/docs.sh" "$tree" "$tree/diffcheck" ;;
    globals | exports | prefixes) sh "$here/$check.sh" "$tree" "$tree/build" ;;
    reached) sh "$here/reached.sh" "$tree" "$tree/build" "$tree/program" ;;
    *) sh "$here/$check.sh" "$tree" ;;
    esac
}

# expect WHAT TEXT: the tree as it is now must be refused with TEXT.
expect()
{
    rows=$((rows + 1))
    status=0
    out=$(verdict 2>&1) || status=$?
    if [ "$status" = 77 ]; then
        echo "$out"
        exit 77
    fi
    if [ "$status" = 1 ] && printf '%s\n' "$out" | grep -qF -- "$2"; then
        echo "ok: $1"
    else
        echo "FAILED: $1: exit $status, wanted 1 and '$2'; it said:"
        printf '%s\n' "$out"
        bad=$((bad + 1))
    fi
    clean
}

clean
case $check in
globals | exports | prefixes | reached) ;;
*)
    status=0
    out=$(verdict 2>&1) || status=$?
    if [ "$status" = 77 ]; then
        echo "$out"
        exit 77
    elif [ "$status" != 0 ]; then
        echo "FAILED: the clean tree is refused (exit $status):"
        echo "$out"
        bad=1
    fi
    ;;
esac

# built SOURCE TEXT: its object, where CMake would put it
built()
{
    folder=$tree/build/${1%/*}/CMakeFiles/dc_x.dir
    mkdir -p "$folder" "$tree/${1%/*}"
    printf '%s\n' "$2" | tee "$tree/$1" >"$folder/${1##*/}"
    ${CC:-cc} -ffunction-sections -fdata-sections -c "$folder/${1##*/}" \
        -o "$folder/${1##*/}.o"
}

case $check in
layers)
    echo '#include "interp/interp.h"' >>"$tree/ir/run_ir.c"
    expect "lower includes upper" "layer ir may not include layer interp"
    mkdir -p "$tree/verifier/smt"
    echo '#include "interp/interp.h"' >"$tree/verifier/smt/smt.c"
    expect "engine includes engine" "layer verifier may not include"
    mkdir -p "$tree/verifier/smt" "$tree/verifier/front"
    echo 'int x;' >"$tree/verifier/front/front.h"
    echo '#include "verifier/front/front.h"' >"$tree/verifier/smt/smt.c"
    expect "room includes a later one" "verifier/smt comes before verifier/front"
    mkdir -p "$tree/verifier/front"
    echo 'int x;' >"$tree/verifier/lint.h"
    echo '#include "verifier/lint.h"' >"$tree/verifier/front/front.c"
    expect "room includes the top" "front comes before verifier/lint.h"
    mkdir -p "$tree/verifier/enumerate"
    echo '#include "verifier/verifier.h"' >"$tree/verifier/enumerate/enum.c"
    echo 'int x;' >"$tree/verifier/verifier.h"
    expect "check includes what it checks" "layer enumerate may not include"
    echo '#include "interp.h"' >>"$tree/interp/run_interp.c"
    expect "path not from the root" "no such file from the source root"
    echo 'int x;' >"$tree/ir/secret.h"
    echo '#include "ir/secret.h"' >>"$tree/diff/run_diff.c"
    expect "private header" '"ir/secret.h" is private'
    echo '#include <z3.h>' >>"$tree/interp/run_interp.c"
    expect "solver outside verifier" "<z3.h> only in verifier/smt/"
    echo '#  include <cjson/cJSON.h>' >>"$tree/ir/run_ir.c"
    expect "cJSON outside its wrapper" "only in ir/base/json.c"
    echo '#include <mpfr.h>' >>"$tree/diff/run_diff.c"
    expect "MPFR outside ir/num" "<mpfr.h> only in ir/num"
    echo '#include <cmocka.h>' >>"$tree/diff/run_diff.c"
    expect "CMocka outside test.h" "<cmocka.h> only in tests/test.h"
    echo '#include <unistd.h>' >>"$tree/ir/run_ir.c"
    expect "POSIX in a library" "<unistd.h> is POSIX"
    echo '#include <gtk.h>' >>"$tree/ir/run_ir.c"
    expect "unknown third party" "<gtk.h> is not on the list"
    ;;
banned)
    echo 'void *f(void) { return malloc(3); }' >>"$tree/ir/run_ir.c"
    expect "malloc" "ir/run_ir.c:12: heap outside ir/base"
    echo 'int f(char *s) { return atoi (s); }' >>"$tree/ir/run_ir.c"
    expect "atoi with a blank" "banned function"
    echo 'void f(char *s) { sprintf(s, "x"); }' >>"$tree/diff/run_diff.c"
    expect "sprintf" "banned function"
    echo 'void f(void) { exit(1); }' >>"$tree/diff/run_diff.c"
    expect "exit" "ends the process"
    echo 'void f(void) { /* " */ abort(); }' >>"$tree/ir/run_ir.c"
    expect "abort behind a quote in a comment" "ends the process"
    echo '_Float16 f(void);' >>"$tree/ir/ir.h"
    expect "_Float16" "banned type"
    echo 'typedef struct foo foo;' >>"$tree/ir/ir.h"
    expect "typedef of a struct" "typedef of a struct"
    ;;
emit)
    mkdir -p "$tree/diff/emit"
    echo 'void f(void) { line(em, "/* %s */", name); }' >"$tree/diff/emit/a.c"
    expect "comment" "diff/emit/a.c:1: a comment outside of emit_text.c"
    mkdir -p "$tree/diff/emit"
    echo 'void f(void) { line(em, "x; // %s", name); }' >"$tree/diff/emit/a.c"
    expect "comment to the end of the line" "a comment outside of emit_text.c"
    mkdir -p "$tree/diff/emit"
    printf '%s\n' 'void f(void)' '{' '    puts("/* fixed */"' \
        '         "fail(\"%s\");");' '}' >"$tree/diff/emit/a.c"
    expect "comment in two parts" "diff/emit/a.c:3: a comment outside"
    mkdir -p "$tree/diff/emit"
    echo 'void f(void) { line(em, "fail(\"%s\");", text); }' \
        >"$tree/diff/emit/a.c"
    expect "literal" "diff/emit/a.c:1: a literal outside of emit_text.c"
    mkdir -p "$tree/diff/emit"
    echo 'const char t[] = "/* %s */";' >"$tree/diff/emit/emit_dot.c"
    expect "fixed text as a format" "a comment with a conversion"
    ;;
format)
    echo 'int  f( void ){return 1;}' >>"$tree/ir/run_ir.c"
    expect "layout" "ir/run_ir.c:12"
    ;;
headers)
    printf 'size_t f(void);\n' >>"$tree/ir/ir.h"
    expect "type not declared" "ir/ir.h: does not compile alone"
    sed 's/DC_IR_IR_H/IR_H/' "$tree/ir/ir.h" >"$tree/ir/other.h"
    expect "guard" "ir/other.h: no include guard"
    cp "$tree/ir/ir.h" "$tree/ir/other.h"
    expect "guard of another header" "share the include guard DC_IR_IR_H"
    ;;
files)
    yes '/* */' | head -n 1001 >>"$tree/ir/run_ir.c"
    expect "too long" "ir/run_ir.c: 1012 lines, the limit is 1000"
    cp "$tree/ir/run_ir.c" "$tree/diff/run_ir.c"
    expect "one name twice" "have one name"
    sed 1s/SPDX// "$tree/ir/run_ir.c" >"$tree/ir/nolicence.c"
    expect "no SPDX" "ir/nolicence.c:1: no SPDX"
    printf '/* SPDX-License-Identifier: Apache-2.0 */\nint x;\n' \
        >"$tree/ir/terse.c"
    expect "no opening comment" "ir/terse.c:1: opens without a comment"
    printf '\tint x;\n' >>"$tree/ir/ir.h"
    expect "tab" "ir/ir.h:8: tab"
    ;;
hygiene)
    head -c 1000001 /dev/zero >"$tree/ir/big.bin"
    expect "big file" "ir/big.bin: 1000001 bytes"
    echo "cd /wor""k/here" >"$tree/ir/run.sh"
    expect "machine path" "ir/run.sh:1"
    echo "pip install --index""-url x" >"$tree/ir/run.sh"
    expect "registry option" "host or option of a package registry"
    echo "see https"://example.com/x >>"$tree/ir/README.md"
    expect "foreign address" "address of a host"
    echo x >"$tree/ir/two words.c"
    expect "odd name" "name with an odd character"
    echo "<<<<<""<< ours" >>"$tree/ir/README.md"
    expect "merge leftover" "merge leftover"
    ;;
docs)
    rm "$tree/interp/README.md"
    expect "folder without README" "interp/: no README.md"
    echo "[x](gone.md)" >>"$tree/ir/README.md"
    expect "dead link" "dead link to 'gone.md'"
    echo "see \`ir/gone.c\`" >>"$tree/ir/README.md"
    expect "file named that is not there" "names 'ir/gone.c'"
    echo "by \`test_gone\`" >>"$tree/ir/README.md"
    expect "test named that is not there" "names 'test_gone'"
    printf '/* As\n * in gone.c. */\n' >>"$tree/ir/run_ir.c"
    expect "comment that names what is gone" "names 'gone.c', which is nowhere"
    echo 'see `gone.c`' >>"$tree/ir/README.md"
    expect "page that names what is gone" "README.md:2: names 'gone.c'"
    echo 'echo "  --new  an option"' >>"$tree/diffcheck"
    expect "option without manual" "option '--new' not there"
    sed 's/  compare/  lint     checks"; echo "  compare/' "$tree/diffcheck" \
        >"$tree/x" && cat "$tree/x" >"$tree/diffcheck" && rm "$tree/x"
    expect "command without manual" "command 'lint' is not there"
    printf '%s\n' '- **R1 A.** x' '- **R2 B.** y' '| R1 | by hand |' |
        write docs/semantics.md
    expect "rule without a test" "R2 has no row in its table of tests"
    echo 'int x = f("ir.x");' >"$tree/ir/x.c"
    expect "code without documentation" "code 'ir.x' is not there"
    echo 'see `ir.y`' | write docs/diagnostics.md
    expect "documentation without code" "no source has the code 'ir.y'"
    ;;
globals)
    for text in 'int counter = 3;' 'static int calls; int f(void)
        { return ++calls; }' 'int table[4];'; do
        mkdir -p "$tree/build"
        printf '%s\n' "$text" >"$tree/build/state.c"
        ${CC:-cc} -c "$tree/build/state.c" -o "$tree/build/state.o"
        ar rc "$tree/build/libdc_state.a" "$tree/build/state.o"
        expect "$text" "libdc_state.a: state.o: mutable"
    done
    ;;
exports)
    built ir/a.c 'int one(void) { return 1; } int two(void) { return 2; }'
    built diff/b.c 'int one(void); int main(void) { return one(); }'
    expect "a function" "ir/a.c: 'two' is used in no other file"
    built ir/a.c 'int two(void); int one(void) { return two(); } int two(void) { return 2; }'
    built diff/b.c 'int one(void); int main(void) { return one(); }'
    expect "one that only its own file calls" "ir/a.c: 'two' is used in no"
    built ir/a.c 'const int table[2] = {1, 2};'
    expect "a datum" "ir/a.c: 'table' is used in no other file"
    built ir/a.c 'int one(void) { return 1; }'
    built diff/b.c 'int one(void); int main(void) { return one(); }'
    built ir/gone.c 'int three(void) { return 3; }'
    rm "$tree/ir/gone.c"
    verdict || bad=$((bad + 1))
    ;;
prefixes)
    built diff/emit/a.c 'int emit_one(void) { return 1; } int put_two(void) { return 2; }'
    expect "no word of the folder" "'put_two' begins with no word of its folder"
    built interp/slices/a.c 'int emit_one(void) { return 1; }'
    expect "a word of another" "'emit_one' begins as names of diff/emit do"
    built verifier/front/a.c 'const int verifier_a = 1; int front_b = 2, c;'
    expect "a datum" "'c' begins with no word of its folder"
    built interp/domains/toy.c 'const int toy = 1; int interp_b(void) { return 2; }'
    verdict || bad=$((bad + 1))
    ;;
reached)
    linked()
    {
        find "$tree/build" -name '*.o' | sort | tr '\n' '\0' |
            xargs -0 ${CC:-cc} -Wl,--gc-sections -o "$tree/program"
    }
    built ir/a.c 'int one(void) { return 1; } int two(void) { return 2; }'
    built ir/c.c 'int two(void); int three(void) { return two(); }'
    built diff/b.c 'int one(void); int main(void) { return one(); }'
    linked
    expect "a function" "ir/c.c: 'three' is in no program"
    built ir/a.c 'int one(void) { return 1; } int two(void) { return 2; }'
    built ir/c.c 'int two(void); int three(void) { return two(); }'
    built diff/b.c 'int one(void); int main(void) { return one(); }'
    linked
    expect "one that only such a function calls" "ir/a.c: 'two' is in no"
    built ir/a.c 'int one(void) { return 1; } const int four[2] = {1, 2};'
    built diff/b.c 'int one(void); int main(void) { return one(); }'
    linked
    expect "a datum" "ir/a.c: 'four' is in no program"
    built ir/a.c 'int one(void) { return 1; } int ir_answer(void) { return 2; }'
    built diff/b.c 'int one(void); int main(void) { return one(); }'
    linked
    verdict || bad=$((bad + 1)) # ir/ir.h offers it
    ;;
*)
    echo "no self-test for '$check'"
    exit 2
    ;;
esac
echo "selftest $check: $rows rows, $bad failed"
[ "$bad" = 0 ]
