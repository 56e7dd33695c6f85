/* Runs before the first paint, so that the page never flashes in the wrong colours. */
const kept = localStorage.getItem("theme");
if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
