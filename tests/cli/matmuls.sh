# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Read by tests with `.`; $data is tests/cli/data.

# matmuls FOLDER NAME SIZE N: pairs NAME1 ... NAMEN, each of other contents: the inner
# extent is SIZE followed by the number.
matmuls()
{
    for i in $(seq "$4"); do
        sed "s/(4, 6)/(4, $3$i)/; s/(6, 5)/($3$i, 5)/; s/4, 5, 6/4, 5, $3$i/" \
            "$data/matmul.py" >"$1/$2$i.untuned.py"
        sed "s/(4, 6)/(4, $3$i)/; s/(6, 5)/($3$i, 5)/; s/4, 6, 5/4, $3$i, 5/" \
            "$data/matmul_ikj.py" >"$1/$2$i.tuned.py"
    done
}

# slow_pairs FOLDER N: pairs long1 ... longN that take a while each.
slow_pairs()
{
    for i in $(seq "$2"); do
        cat >"$1/long$i.untuned.py" <<END
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    for i in range(70000$i):
        B[i % 8] = A[i % 8] + B[(i + 1) % 8]
END
        sed 's/(i + 1)/(i + 9)/' "$1/long$i.untuned.py" >"$1/long$i.tuned.py"
    done
}
