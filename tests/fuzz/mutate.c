// The harnesses without libFuzzer: a fixed number of inputs, made from the seeds by a generator of our own, the same in every run
// and with every compiler.   mutate_scene COUNT SUFFIX FOLDER...
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz/fuzz.h"

enum { SEEDS_MAX = 400, INPUT_MAX = 1 << 16 };

typedef struct input {
    uint8_t *data;
    size_t size;
} input;

static input seeds[SEEDS_MAX];
static int seed_count;
static uint64_t state = 1;

static uint32_t random_below(uint32_t n) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(((state >> 33) * n) >> 31);
}

static void add_seed(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f || seed_count == SEEDS_MAX) {
        if (f) fclose(f);
        return;
    }
    input in = {malloc(INPUT_MAX), 0};
    if (in.data) in.size = fread(in.data, 1, INPUT_MAX, f);
    fclose(f);
    if (in.data) seeds[seed_count++] = in;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void add_folder(const char *folder, const char *suffix) {
    struct dirent **entries = NULL;
    int n = scandir(folder, &entries, NULL, by_name);
    for (int i = 0; i < n; i++) {
        char path[1024];
        struct stat st;
        const char *name = entries[i]->d_name;
        size_t length = strlen(name), tail = strlen(suffix);
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (name[0] != '.' && stat(path, &st) == 0) {
            if (S_ISDIR(st.st_mode)) add_folder(path, suffix);
            if (S_ISREG(st.st_mode) && length > tail && !strcmp(name + length - tail, suffix)) add_seed(path);
        }
        free(entries[i]);
    }
    free(entries);
}

// numbers and characters that often break readers
static const char *const tokens[] = {"-1",   "0",    "nan", "inf", "1e400", "99999999999", "2147483648", "-2147483649",
                                     "{",    "}",    "\"",  "<",   "/>",    "<!--",        "]]>",        "&amp;",
                                     "&#0;", "\xff", "{i}", "@E",  "..",    "1e-320",      "(((((",      ".5"};

static void put(input *in, size_t at, size_t cut, const uint8_t *piece, size_t length) {
    if (at + cut > in->size) cut = in->size - at;
    if (in->size - cut + length > INPUT_MAX) length = 0;
    memmove(in->data + at + length, in->data + at + cut, in->size - at - cut);
    memcpy(in->data + at, piece, length);
    in->size = in->size - cut + length;
}

static void mutate(input *in) {
    size_t at = random_below((uint32_t)in->size + 1);
    const input *other = &seeds[random_below((uint32_t)seed_count)];
    const char *token = tokens[random_below(sizeof tokens / sizeof *tokens)];
    uint8_t byte = (uint8_t)random_below(256);
    switch (random_below(7)) {
    case 0:  // replace a byte
        put(in, at, 1, &byte, 1);
        break;
    case 1:  // remove a piece
        put(in, at, random_below(40), &byte, 0);
        break;
    case 2:  // truncate
        in->size = at;
        break;
    case 3:
    case 4:  // overwrite with a token
        put(in, at, random_below(6), (const uint8_t *)token, strlen(token));
        break;
    case 5: {  // overwrite with a piece of another seed
        size_t from = random_below((uint32_t)other->size + 1), length = random_below(200);
        if (length > other->size - from) length = other->size - from;
        put(in, at, random_below(60), other->data + from, length);
        break;
    }
    default:  // flip a bit
        if (at < in->size) in->data[at] ^= (uint8_t)(1u << random_below(8));
    }
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    int count = atoi(argv[1]);
    for (int i = 3; i < argc; i++) add_folder(argv[i], argv[2]);
    FUZZ_PROMISE(seed_count > 0);
    input in = {malloc(INPUT_MAX), 0};
    FUZZ_PROMISE(in.data);
    for (int i = 0; i < seed_count; i++) LLVMFuzzerTestOneInput(seeds[i].data, seeds[i].size);
    for (int i = 0; i < count; i++) {
        const input *seed = &seeds[i % seed_count];
        in.size = seed->size;
        memcpy(in.data, seed->data, seed->size);
        for (uint32_t m = 1 + random_below(5); m > 0; m--) mutate(&in);
        // an exact copy, so that the sanitizer detects reads past the end
        uint8_t *exact = malloc(in.size ? in.size : 1);
        FUZZ_PROMISE(exact);
        memcpy(exact, in.data, in.size);
        LLVMFuzzerTestOneInput(exact, in.size);
        free(exact);
    }
    printf("%d inputs from %d seeds\n", seed_count + count, seed_count);
    for (int i = 0; i < seed_count; i++) free(seeds[i].data);
    free(in.data);
    return 0;
}
