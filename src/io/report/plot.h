// Plots: lines, stacked areas and bars on linear or log axes (sp_plot in souple/io.h), several panels below each other.
#ifndef SP_PLOT_H
#define SP_PLOT_H

#include "io/base.h"
#include "util/page.h"

// One SVG element with all panels, at the end of a page; `inside_html`: not a document of its own.
sp_status sp__plots_svg(const sp_plot *plots, int count, bool inside_html, sp_page *page);

#endif
