/** The filters of a list take one row: where they do not fit, it is scrolled. */
export const filterBarClass =
  "flex items-center gap-1.5 overflow-x-auto border-b border-line px-4 py-2 *:shrink-0 [scrollbar-width:none]";
