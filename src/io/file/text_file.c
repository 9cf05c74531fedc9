// Files, numbers as text, and allocations that are freed together. The scanner uses the exact fast path of Clinger (1990): an
// integer up to 2^53 times or divided by a power of ten up to 1e22 is one correctly rounded operation. Anything longer goes to
// strtod in the C locale.
#include "io/file/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static sp_status read_open_file(sp_context *ctx, FILE *file, const char *path, size_t limit, char **text, size_t *size) {
    struct stat info;
    if (fstat(fileno(file), &info) != 0) return SP_FAIL(ctx, SP_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode)) return SP_FAIL(ctx, SP_IO, "%s: not a regular file", path);
    if (limit && (uintmax_t)info.st_size > limit)
        return SP_FAIL(ctx, SP_BAD_INPUT, "%s: %lld bytes, at most %zu are allowed", path, (long long)info.st_size, limit);
    size_t n = (size_t)info.st_size;
    char *data = sp__alloc(ctx, n + 1, 1);
    if (!data) return SP_FAIL(ctx, SP_NO_MEMORY, "%s: no memory for %zu bytes", path, n);
    *size = fread(data, 1, n, file);
    if (ferror(file)) {
        sp__free(ctx, data);
        return SP_FAIL(ctx, SP_IO, "%s: %s", path, strerror(errno));
    }
    data[*size] = 0;
    *text = data;
    return SP_OK;
}

sp_status sp__text_read(sp_context *ctx, const char *path, size_t limit, char **text, size_t *size) {
    *text = NULL;
    *size = 0;
    FILE *file = fopen(path, "rb");
    if (!file) return SP_FAIL(ctx, SP_IO, "%s: %s", path, strerror(errno));
    sp_status status = read_open_file(ctx, file, path, limit, text, size);
    fclose(file);
    return status;
}

// ------------------------------------------------------------------------------------------------ numbers

static double strtod_c_locale(const char *p) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c) return strtod(p, NULL);
    locale_t before = uselocale(c);
    double value = strtod(p, NULL);
    uselocale(before);
    freelocale(c);
    return value;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// reads digits into m as long as they fit; `scale` is the decimal exponent: +1 per omitted digit, -1 per digit after the point
typedef struct decimal {
    uint64_t m;
    int digits, scale;
    bool exact;
} decimal;

static const char *scan_digits(const char *p, bool after_point, decimal *d) {
    for (; is_digit(*p); p++) {
        if (d->m < UINT64_C(900000000000000000)) {
            d->m = d->m * 10 + (uint64_t)(*p - '0');
            d->scale -= after_point;
        } else {
            d->exact = d->exact && *p == '0';
            d->scale += !after_point;
        }
        if (d->digits < INT32_MAX) d->digits++;
    }
    return p;
}

static const char *scan_exponent(const char *p, int *exponent) {
    const char *q = p + 1;
    bool minus = *q == '-';
    if (*q == '-' || *q == '+') q++;
    if (!is_digit(*q)) return NULL;
    int e = 0;
    for (; is_digit(*q); q++)
        if (e < 100000) e = e * 10 + (*q - '0');
    *exponent = minus ? -e : e;
    return q;
}

const char *sp__scan_double(const char *p, double *out) {
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *start = p;
    bool minus = *p == '-';
    if (*p == '-' || *p == '+') p++;
    decimal d = {0, 0, 0, true};
    p = scan_digits(p, false, &d);
    if (*p == '.') p = scan_digits(p + 1, true, &d);
    if (!d.digits) return NULL;
    int exponent = 0;
    if ((*p == 'e' || *p == 'E') && !(p = scan_exponent(p, &exponent))) return NULL;
    exponent += d.scale;
    if (d.exact && d.m <= (UINT64_C(1) << 53) && exponent >= -22 && exponent <= 22) {
        double value = exponent < 0 ? (double)d.m / ten[-exponent] : (double)d.m * ten[exponent];
        *out = minus ? -value : value;
    } else {
        *out = strtod_c_locale(start);
    }
    return isfinite(*out) ? p : NULL;
}

const char *sp__scan_int64(const char *p, int64_t *out) {
    bool minus = *p == '-';
    if (*p == '-' || *p == '+') p++;
    if (!is_digit(*p)) return NULL;
    int64_t value = 0;
    for (; is_digit(*p); p++) {
        if (value > (INT64_MAX - 9) / 10) return NULL;
        value = value * 10 + (*p - '0');
    }
    *out = minus ? -value : value;
    return p;
}

void sp__print_double(char *out, double value) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = c ? uselocale(c) : (locale_t)0;
    snprintf(out, 32, "%.17g", value);
    if (!c) return;
    uselocale(before);
    freelocale(c);
}

// ------------------------------------------------------------------------------------------------ memory

struct sp_keep_item {
    struct sp_keep_item *older;
    void *memory;
};

void *sp__keep_alloc(sp_keep *keep, size_t n, size_t size) {
    struct sp_keep_item *item = sp__alloc(keep->ctx, 1, sizeof *item);
    if (!item) return NULL;
    item->memory = sp__alloc(keep->ctx, n ? n : 1, size);
    if (!item->memory) {
        sp__free(keep->ctx, item);
        return NULL;
    }
    item->older = keep->newest;
    keep->newest = item;
    return item->memory;
}

void *sp__keep_grow(sp_keep *keep, void *memory, size_t have, size_t n, size_t size) {
    struct sp_keep_item *item = keep->newest;
    while (item && item->memory != memory) item = item->older;
    if (!memory || !item) return sp__keep_alloc(keep, n, size);
    void *more = sp__alloc(keep->ctx, n ? n : 1, size);
    if (!more) return NULL;
    memcpy(more, memory, have * size);
    sp__free(keep->ctx, memory);
    item->memory = more;
    return more;
}

bool sp__keep_more(sp_keep *keep, void **memory, size_t used, size_t *capacity, size_t size) {
    if (used < *capacity) return true;
    size_t n = used < 32 ? 64 : used > SIZE_MAX / 4 ? SIZE_MAX : 2 * used;
    void *more = sp__keep_grow(keep, *memory, used, n, size);
    if (!more) return false;
    *memory = more;
    *capacity = n;
    return true;
}

char *sp__keep_text(sp_keep *keep, const char *text) {
    size_t n = strlen(text) + 1;
    char *copy = sp__keep_alloc(keep, n, 1);
    if (copy) memcpy(copy, text, n);
    return copy;
}

void sp__keep_free(sp_keep *keep) {
    while (keep->newest) {
        struct sp_keep_item *item = keep->newest;
        keep->newest = item->older;
        sp__free(keep->ctx, item->memory);
        sp__free(keep->ctx, item);
    }
}

// ------------------------------------------------------------------------------------------------ files that appear when
// complete

// Other programs see the old file or the new one, never a part of it.

static sp_status io_failed(sp_context *ctx, const char *path, int error) {
    return SP_FAIL(ctx, SP_IO, "%s: %s", path, error ? strerror(error) : "could not be written");
}

static void new_file_forget(sp_new_file *f) {
    sp__free(f->ctx, f->path);
    sp__free(f->ctx, f->draft);
    *f = (sp_new_file){.ctx = f->ctx};
}

// unique among all writers: the process id separates processes, the counter separates threads
static int open_draft(sp_new_file *f, size_t capacity) {
    for (int i = 0; i < 1000; i++) {
        snprintf(f->draft, capacity, "%s.%ld-%d.new", f->path, (long)getpid(), i);
        int fd = open(f->draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

sp_status sp__new_file_open(sp_context *ctx, const char *path, sp_new_file *f) {
    struct stat info;
    size_t n = strlen(path), capacity = n + 48;
    *f = (sp_new_file){.ctx = ctx};
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) return SP_FAIL(ctx, SP_IO, "%s: not a regular file", path);
    if (!SP_NEW(ctx, f->path, n + 1) || !SP_NEW(ctx, f->draft, capacity)) {
        new_file_forget(f);
        return SP_FAIL(ctx, SP_NO_MEMORY, "%s: no memory to write it", path);
    }
    memcpy(f->path, path, n + 1);
    int fd = open_draft(f, capacity);
    f->stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (f->stream) return SP_OK;
    int error = errno;
    if (fd >= 0) close(fd), unlink(f->draft);
    new_file_forget(f);
    return io_failed(ctx, path, error);
}

sp_status sp__new_file_close(sp_new_file *f, bool good) {
    if (!f->stream) return SP_OK;
    sp_status status = SP_OK;
    errno = 0;
    bool wrong = ferror((FILE *)f->stream) != 0;
    if (fclose(f->stream) != 0) wrong = true;
    if (good && wrong) status = io_failed(f->ctx, f->path, errno);
    if (good && !wrong && rename(f->draft, f->path) != 0) status = io_failed(f->ctx, f->path, errno);
    if (!good || status < 0) unlink(f->draft);
    new_file_forget(f);
    return status;
}
