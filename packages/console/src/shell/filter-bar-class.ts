/** The classes of the filter bar: one row, or on a narrow screen as many as the filters need. */
export const filterBarClass = "flex flex-wrap items-center gap-1.5 border-b border-line px-4 py-2 *:shrink-0";
