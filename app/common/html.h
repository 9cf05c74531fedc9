// A self-contained HTML page: styles inline, images as data, plots as SVG, no scripts, no network. It is also well-formed XML, so
// that any parser can check it. All text goes through sp__page_escape.
#ifndef SP_APP_HTML_H
#define SP_APP_HTML_H

#include "souple/io.h"
#include "util/page.h"

void sp__html_begin(sp_page *p, const char *title);
void sp__html_end(sp_page *p);
void sp__html_head(sp_page *p, const char *text);  // heading of a section

// An element with text; `class` is nullable.
void sp__html_text(sp_page *p, const char *tag, const char *class, const char *format, ...) SP_PRINTF(4, 5);
// Preformatted text of any length.
void sp__html_listing(sp_page *p, const char *text, size_t size);

void sp__html_table_begin(sp_page *p, const char *const *heads, int count);
void sp__html_row(sp_page *p);  // ends the previous row
void sp__html_cell(sp_page *p, const char *class, const char *format, ...) SP_PRINTF(3, 4);
void sp__html_number(sp_page *p, double value, int digits);  // a dash if not finite
void sp__html_table_end(sp_page *p);

// An embedded PNG.
void sp__html_png(sp_page *p, const unsigned char *bytes, size_t size, const char *words);
sp_status sp__html_plot(sp_page *p, const sp_plot *plot);

#endif
