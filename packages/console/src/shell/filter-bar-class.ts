/** The classes of the filter bar: one row, which scrolls if the filters do not fit. */
export const filterBarClass =
  "flex items-center gap-1.5 overflow-x-auto border-b border-line px-4 py-2 *:shrink-0 [scrollbar-width:none]";
