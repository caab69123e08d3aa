"""The tables of a page as grids of figures: what a cell prints, what a header speaks of, which rows sum up others."""
