// Sorts a table by the column whose header button was pressed. One listener serves every table,
// also those that instant navigation brings in later; without it each table is complete, unsorted.
(() => {
  "use strict";
  const key = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.sort ?? cell.textContent.trim();
    const number = text === "" ? NaN : Number(text);
    return { text, number, empty: text === "" };
  };
  const compare = (a, b, sign) => {
    if (a.empty || b.empty) return a.empty - b.empty;
    if (!Number.isNaN(a.number) && !Number.isNaN(b.number)) return sign * (a.number - b.number);
    return sign * a.text.localeCompare(b.text, "en", { numeric: true });
  };
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button.bc-sort") : null;
    if (!button) return;
    const header = button.closest("th");
    const table = header.closest("table");
    const first = header.classList.contains("bc-num") ? "descending" : "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const order = header.getAttribute("aria-sort") === first ? other : first;
    for (const each of header.parentElement.cells) {
      if (each.hasAttribute("aria-sort")) each.setAttribute("aria-sort", each === header ? order : "none");
    }
    const sign = order === "ascending" ? 1 : -1;
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({ row, key: key(row, header.cellIndex) }));
    rows.sort((a, b) => compare(a.key, b.key, sign));
    body.append(...rows.map((each) => each.row));
  });
})();
