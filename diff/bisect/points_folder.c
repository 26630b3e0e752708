/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules that a compiler wrote out after each pass: the files of a folder in
 * the order of their names, numbers in them by their value, so that 9 comes
 * before 10. Files of other kinds than .json and .py are passed over.
 */
#include "diff/bisect/bisect.h"
#include "diff/input/input.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FILES 10000u

static int by_number(const void *x, const void *y)
{
    const char *a = *(const char *const *)x, *b = *(const char *const *)y;
    while (*a != '\0' && *b != '\0') {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            a += strspn(a, "0");
            b += strspn(b, "0");
            size_t n = strspn(a, "0123456789"), m = strspn(b, "0123456789");
            int order = n != m ? (n < m ? -1 : 1) : strncmp(a, b, n);
            if (order != 0)
                return order;
            a += n;
            b += m;
            continue;
        }
        if (*a != *b)
            break;
        a++;
        b++;
    }
    if (*a != *b)
        return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static bool is_module(const char *name)
{
    const char *dot = strrchr(name, '.');
    return name[0] != '.' && dot &&
           (strcmp(dot, ".json") == 0 || strcmp(dot, ".py") == 0);
}

struct names VEC(char *);

static bool list(struct bisect *b, const char *folder, struct names *out)
{
    struct diag_loc at = {.file = folder};
    DIR *dir = opendir(folder);
    if (!dir)
        return diag_error(b->sink, at, "bisect.folder",
                          "cannot read the folder: %s", strerror(errno));
    for (struct dirent *e = readdir(dir); e && out->len < MOST_FILES;
         e = readdir(dir))
        if (is_module(e->d_name))
            vec_push(out, arena_strdup(b->arena, e->d_name));
    (void)closedir(dir);
    if (out->len < 2)
        return diag_error(b->sink, at, "bisect.folder",
                          "expected two modules or more, .json or .py files");
    qsort(out->items, out->len, sizeof *out->items, by_number);
    return true;
}

bool bisect_begin_folder(struct bisect *b, const char *folder)
{
    struct names names = {0};
    b->arena = arena_new();
    b->folder = true;
    bool fine = list(b, folder, &names);
    for (size_t i = 0; i < names.len && fine; i++) {
        const char *path =
            arena_printf(b->arena, "%s/%s", folder, names.items[i]);
        struct ir_module *m = diff_module_load(b->options, path, b->sink);
        fine = m != NULL;
        if (fine)
            vec_push(&b->points, ((struct bisect_point){.what = names.items[i],
                                                        .module = m}));
        if (fine && !ir_wellformed(m, b->sink))
            fine = false;
    }
    vec_fini(&names);
    return fine;
}

void bisect_fini(struct bisect *b)
{
    for (size_t i = 0; i < b->points.len; i++) {
        report_free(b->points.items[i].report);
        if (b->folder)
            ir_module_free(b->points.items[i].module);
    }
    vec_fini(&b->points);
    diff_steps_close(&b->input);
    ir_module_free(b->tuned);
    arena_free(b->arena);
}
