// See html.h.
#include "common/html.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// the page must not load anything, whatever it contains
static const char *const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

static const char *const styles =
    "body{margin:0 auto;max-width:76rem;padding:1.5rem 1.25rem 4rem;font:15px/1.5 "
    "system-ui,sans-serif;color:#222;background:#fff}\n"
    "h1{font-size:1.7rem;line-height:1.2;margin:.2em 0 .3em}h2{font-size:1.15rem;margin:2.2em 0 .6em;border-bottom:1px solid "
    "#ddd;"
    "padding-bottom:.25em}\n"
    ".lead{color:#555;margin:.2em 0 1.2em}.badge{display:inline-block;padding:.1em "
    ".7em;border-radius:1em;font-size:.9rem;color:#fff;"
    "background:#777;vertical-align:middle;margin-left:.6em}.ok{background:#1a7f4b}.missed,.reservations{background:#b35900}."
    "failed,.refused{"
    "background:#b3261e}.stopped{background:#8a6d00}\n"
    ".facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.6rem;margin:1.2em 0}.facts "
    "div{background:#f5f6f8;"
    "border-radius:.5rem;padding:.55rem .8rem}.facts dt,.facts span{display:block;font-size:.8rem;color:#666}.facts "
    "b{font-weight:600;"
    "overflow-wrap:anywhere}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}th,td{padding:.28rem "
    ".7rem;"
    "text-align:left;border-bottom:1px solid "
    "#eee;white-space:nowrap}th{color:#555;font-weight:600;background:#fafafa;position:sticky;top:0}"
    "td.n{text-align:right}td.bad{color:#b3261e;font-weight:600}td.good{color:#1a7f4b}td.say{white-space:normal;max-width:34rem}"
    "\n"
    ".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,34rem),1fr));gap:1rem}.plots "
    "svg,img{width:100%;height:auto;"
    "border:1px solid #e8e8e8;border-radius:.5rem}img{max-width:60rem;display:block}\n"
    "pre{background:#f7f7f9;border:1px solid #e8e8e8;border-radius:.5rem;padding:.8rem "
    "1rem;overflow:auto;max-height:36rem;font:12.5px/1.45 "
    "ui-monospace,monospace;tab-size:4}details{margin:.6em 0}summary{cursor:pointer;color:#0b5cad}\n"
    "@media print{pre{max-height:none;white-space:pre-wrap}body{max-width:none}}\n";

static void html_put(sp_page *p, const char *text) {
    sp__page_put(p, text, strlen(text));
}

void sp__html_begin(sp_page *p, const char *title) {
    html_put(p, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
    sp__page_add(p, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\"/>\n<title>", policy);
    sp__page_escape(p, title);
    html_put(p, "</title>\n<style>\n");
    html_put(p, styles);
    html_put(p, "</style>\n</head>\n<body>\n");
}

void sp__html_end(sp_page *p) {
    html_put(p, "</body>\n</html>\n");
}

void sp__html_head(sp_page *p, const char *text) {
    sp__html_text(p, "h2", NULL, "%s", text);
}

static void put_formatted(sp_page *p, const char *format, va_list args) {
    char text[2048];
    vsnprintf(text, sizeof text, format, args);
    sp__page_escape(p, text);
}

void sp__html_text(sp_page *p, const char *tag, const char *class, const char *format, ...) {
    va_list args;
    sp__page_add(p, class ? "<%s class=\"%s\">" : "<%s>", tag, class);
    va_start(args, format);
    put_formatted(p, format, args);
    va_end(args);
    sp__page_add(p, "</%s>\n", tag);
}

void sp__html_listing(sp_page *p, const char *text, size_t size) {
    html_put(p, "<pre>");
    sp__page_escape_bytes(p, text, size);
    html_put(p, "</pre>\n");
}

// ---- tables

void sp__html_table_begin(sp_page *p, const char *const *heads, int count) {
    html_put(p, "<div class=\"wide\"><table>\n<thead><tr>");
    for (int i = 0; i < count; i++) {
        html_put(p, "<th>");
        sp__page_escape(p, heads[i]);
        html_put(p, "</th>");
    }
    html_put(p, "</tr></thead>\n<tbody>");
}

// a row is open if the page ends with a cell
static void end_row(sp_page *p) {
    if (p->text.size >= 5 && memcmp(p->text.data + p->text.size - 5, "</td>", 5) == 0) html_put(p, "</tr>\n");
}

void sp__html_row(sp_page *p) {
    end_row(p);
    html_put(p, "<tr>");
}

void sp__html_cell(sp_page *p, const char *class, const char *format, ...) {
    va_list args;
    if (class)
        sp__page_add(p, "<td class=\"%s\">", class);
    else
        html_put(p, "<td>");
    va_start(args, format);
    put_formatted(p, format, args);
    va_end(args);
    html_put(p, "</td>");
}

void sp__html_number(sp_page *p, double value, int digits) {
    if (isfinite(value))
        sp__html_cell(p, "n", "%.*g", digits, value);
    else
        sp__html_cell(p, "n", "-");
}

void sp__html_table_end(sp_page *p) {
    end_row(p);
    html_put(p, "</tbody></table></div>\n");
}

// ---- pictures

void sp__html_png(sp_page *p, const unsigned char *bytes, size_t size, const char *words) {
    html_put(p, "<img alt=\"");
    sp__page_escape(p, words);
    html_put(p, "\" src=\"data:image/png;base64,");
    sp__page_base64(p, bytes, size);
    html_put(p, "\"/>\n");
}

static void put_svg(void *page, const char *text) {
    html_put(page, text);
}

sp_status sp__html_plot(sp_page *p, const sp_plot *plot) {
    return sp_plot_svg(p->ctx, plot, 1, put_svg, p);
}
