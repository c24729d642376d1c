/* Gives the cells of a table of three or four columns the name of their column, which the style sheet
 * shows where the table is a list of cards. */
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("article table.docutils")) {
    const names = [...table.querySelectorAll("thead th")].map((cell) => cell.innerText.trim());
    if (names.length !== 3 && names.length !== 4) continue;
    table.classList.add("cards");
    for (const row of table.tBodies[0].rows)
      [...row.cells].forEach((cell, k) => cell.setAttribute("data-label", names[k] && `${names[k]}:`));
  }
});
