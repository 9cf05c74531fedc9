// Numbers as people write them.
#include "util/text.h"

#include <stdio.h>
#include <string.h>

void sp__short_number(double x, char *out, size_t size) {
    snprintf(out, size, "%g", x);
    char *e = strchr(out, 'e');
    if (!e) return;
    char *digits = e + 1 + (e[1] == '-'), *from = digits;
    while (*from == '+' || *from == '0') from++;
    memmove(digits, from, strlen(from) + 1);
}
