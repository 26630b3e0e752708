/* SPDX-License-Identifier: Apache-2.0
 *
 * The smallest parts of a script: lines, string and number literals, dtypes
 * and types. Strings use only escapes that Python and every TVM reader know; a
 * byte that is not UTF-8 is written as Python's `surrogateescape` has it, and
 * TVM cannot take it. Numbers are the shortest decimal that reads back as the same double.
 */
#include "ir/writers/tvmscript/print_script.h"

#include <math.h>
#include <string.h>

void print_line(struct print_state *p)
{
    for (unsigned i = 0; i < p->indent; i++)
        buf_puts(p->out, "    ");
}

void print_end(struct print_state *p)
{
    buf_putc(p->out, '\n');
}

void print_put_string(struct buf *out, const char *text)
{
    buf_put_quoted(out, text, false);
}

void print_put_number(struct buf *out, double value)
{
    if (isfinite(value))
        buf_put_double(out, value);
    else
        buf_puts(out, isnan(value) ? "\"nan\""
                      : value > 0  ? "\"inf\""
                                   : "\"-inf\"");
}

void print_put_dtype(struct buf *out, struct dtype t)
{
    buf_putc(out, '"');
    if (t.code == DT_VOID)
        buf_puts(out, "void");
    else
        dtype_put(out, t);
    buf_putc(out, '"');
}

bool print_dtype_has_name(struct dtype t)
{
    if (t.scalable)
        return false;
    if (t.code == DT_BOOL || t.code == DT_BFLOAT || t.code == DT_HANDLE ||
        t.code == DT_VOID)
        return t.lanes == 1;
    if ((t.code == DT_INT || t.code == DT_UINT) && t.bits != 8 &&
        t.bits != 16 && t.bits != 32 && t.bits != 64)
        return false;
    if (t.code == DT_COMPLEX)
        return false;
    return t.lanes == 1 || t.lanes == 2 || t.lanes == 4 || t.lanes == 8 ||
           t.lanes == 16 || t.lanes == 32 || t.lanes == 64;
}

static void put_pointer(struct buf *out, const struct ir_type *type)
{
    const struct ir_type *element = type->element;
    const char *scope = type->scope ? type->scope : "";
    bool opaque = !element || element->kind == IR_TYPE_NONE ||
                  element->dtype.code == DT_VOID;
    buf_puts(out, "T.handle");
    if (opaque && (!*scope || strcmp(scope, "global") == 0))
        return;
    buf_putc(out, '(');
    if (!opaque)
        print_put_dtype(out, element->dtype);
    if (*scope) {
        buf_puts(out, opaque ? "storage_scope=" : ", ");
        print_put_string(out, scope);
    }
    buf_putc(out, ')');
}

void print_put_type(struct buf *out, const struct ir_type *type,
                    struct dtype dtype)
{
    if (type && type->kind == IR_TYPE_POINTER) {
        put_pointer(out, type);
        return;
    }
    if (type && type->kind == IR_TYPE_TUPLE) {
        buf_puts(out, "T.Tuple(");
        for (size_t i = 0; i < type->nfields; i++) {
            buf_puts(out, i ? ", " : "");
            print_put_type(out, type->fields[i],
                           type->fields[i] ? type->fields[i]->dtype
                                           : DTYPE_VOID);
        }
        buf_putc(out, ')');
        return;
    }
    if (type && type->kind == IR_TYPE_PRIM)
        dtype = type->dtype;
    buf_puts(out, "T.");
    if (dtype.code == DT_VOID)
        buf_puts(out, "void");
    else
        dtype_put(out, dtype);
}
