// See manual.h: man pages. Text is escaped, so that nothing in a table can be a roff request.
#include <string.h>

#include "help/manual.h"

// A command or subcommand by name; NULL: none.
static const sp_command *find_command(const sp_commands *commands, const char *name) {
    for (int i = 0; i < commands->count; i++) {
        const sp_command *c = commands->all[i];
        if (strcmp(c->name, name) == 0) return c;
        for (int k = 0; k < c->part_count; k++)
            if (strcmp(c->parts[k]->name, name) == 0) return c->parts[k];
    }
    return NULL;
}

// ---- roff

static void man_put(FILE *f, const char *text, bool line_start) {
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\'')) fputs("\\&", f);
        line_start = *text == '\n';
        if (*text == '\\')
            fputs("\\e", f);
        else if (*text == '-')
            fputs("\\-", f);
        else if (*text == '`')
            fputs("\\(ga", f);
        else if (*text == '\'')
            fputs("\\(aq", f);
        else if (*text == '^')
            fputs("\\(ha", f);
        else if (*text == '~')
            fputs("\\(ti", f);
        else
            fputc(*text, f);
    }
}

static void man_line(FILE *f, const char *text) {
    man_put(f, text, true);
    fputc('\n', f);
}

// the page of "mesh info" is souple-mesh-info
static void page_name(const char *command, char *out, size_t size) {
    snprintf(out, size, "souple%s%s", *command ? "-" : "", command);
    for (char *c = out; *c; c++)
        if (*c == ' ') *c = '-';
}

static void head(FILE *f, const char *page, const char *summary) {
    fputs(".TH ", f);
    for (const char *c = page; *c; c++) fputc(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c, f);
    fprintf(f, " 1 \"\" \"souple %s\" \"Souple\"\n.SH NAME\n", SP_VERSION_TEXT);
    man_put(f, page, true), fputs(" \\- ", f), man_line(f, summary);
}

static void examples(FILE *f, const char *text) {
    if (!text) return;
    fputs(".SH EXAMPLES\n.nf\n", f);
    man_put(f, text, true);
    fputs(".fi\n", f);
}

// ---- a page about one command

static void synopsis(FILE *f, const sp_command *c) {
    fputs(".SH SYNOPSIS\n.B souple ", f);
    man_put(f, c->name, false);
    if (*c->arguments) fputs("\n.I ", f), man_put(f, c->arguments, false);
    fputs(c->option_count ? "\n[options]\n" : "\n", f);
}

static void options(FILE *f, const sp_command *c) {
    fputs(".SH OPTIONS\n", f);
    for (int i = 0; i < c->option_count; i++) {
        const sp_option *o = &c->options[i];
        fputs(".TP\n\\fB", f), man_put(f, o->name, false), fputs("\\fR", f);
        if (o->values) fputs(" \\fI", f), man_put(f, o->values, false), fputs("\\fR", f);
        fputc('\n', f), man_line(f, o->meaning);
    }
    fputs(".TP\n\\fB\\-\\-help\\fR\nprint this help and exit\n", f);
}

static void parts(FILE *f, const sp_command *c) {
    if (c->part_count) fputs(".SH COMMANDS\n", f);
    for (int i = 0; i < c->part_count; i++) {
        char page[96];
        page_name(c->parts[i]->name, page, sizeof page);
        fputs(".TP\n\\fB", f), man_put(f, page, false), fputs("\\fR(1)\n", f), man_line(f, c->parts[i]->summary);
    }
}

static void man_of(const sp_command *c, FILE *f) {
    char page[96];
    page_name(c->name, page, sizeof page);
    head(f, page, c->summary);
    synopsis(f, c);
    fputs(".SH DESCRIPTION\n", f);
    man_put(f, c->summary, true), fputs(".\n", f);
    if (c->text) fputs(".PP\n", f), man_line(f, c->text);
    parts(f, c);
    options(f, c);
    fputs(".SH EXIT STATUS\n0 done; 1 the simulation failed or was stopped, or a file could not be written; 2 wrong usage or "
          "input; 3 a\n"
          "claim of a scene missed.\n",
          f);
    examples(f, c->examples);
    fputs(".SH SEE ALSO\n.BR souple (1)\n", f);
}

// ---- the page about all

static void man_of_all(const sp_commands *commands, FILE *f) {
    head(f, "souple", "soft bodies that are touched and squeezed");
    fputs(".SH SYNOPSIS\n.B souple\n.I COMMAND\n[...]\n.SH DESCRIPTION\n"
          "Simulates scenes of soft bodies, checks their claims, draws them and measures how long that takes.\n"
          "A scene is an XML file; \\fBsouple check \\-\\-reference\\fR prints its language.\n.SH COMMANDS\n",
          f);
    for (int i = 0; i < commands->count; i++) {
        char page[96];
        page_name(commands->all[i]->name, page, sizeof page);
        fputs(".TP\n\\fB", f), man_put(f, page, false), fputs("\\fR(1)\n", f), man_line(f, commands->all[i]->summary);
    }
    fputs(
        ".SH EXIT STATUS\n0 done; 1 the simulation failed or was stopped; 2 wrong usage or input; 3 a claim of a scene missed.\n"
        ".SH ENVIRONMENT\n.TP\n.B SOUPLE_SCENES\nfolder in which \\fBsouple list scenes\\fR looks first\n",
        f);
    examples(f, "souple list scenes\nsouple run beam.xml --out results\nsouple report results\n");
}

// by the name of the page or of the command
static const sp_command *find_page(const sp_commands *commands, const char *name) {
    for (int i = 0; i < commands->count; i++) {
        const sp_command *c = commands->all[i];
        char page[96];
        page_name(c->name, page, sizeof page);
        if (strcmp(page, name) == 0) return c;
        for (int k = 0; k < c->part_count; k++) {
            page_name(c->parts[k]->name, page, sizeof page);
            if (strcmp(page, name) == 0) return c->parts[k];
        }
    }
    return find_command(commands, name);
}

bool sp__print_man(const sp_commands *commands, const char *name, FILE *file) {
    if (strcmp(name, "souple") == 0) return man_of_all(commands, file), true;
    const sp_command *c = find_page(commands, name);
    if (c) man_of(c, file);
    return c != NULL;
}

void sp__print_man_names(const sp_commands *commands, FILE *file) {
    char page[96];
    fputs("souple\n", file);
    for (int i = 0; i < commands->count; i++) {
        const sp_command *c = commands->all[i];
        page_name(c->name, page, sizeof page), fprintf(file, "%s\n", page);
        for (int k = 0; k < c->part_count; k++) page_name(c->parts[k]->name, page, sizeof page), fprintf(file, "%s\n", page);
    }
}
