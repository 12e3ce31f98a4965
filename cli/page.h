/* page.h: the parts of the page that are no data: cli/page.html, page.css and
 * page*.js as texts, embedded by CMake (cmake/Generate.cmake). */
#ifndef SP_CLI_PAGE_H
#define SP_CLI_PAGE_H

extern const char cli_page_html[], cli_page_css[], cli_page_js[];

#endif
