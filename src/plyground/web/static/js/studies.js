/** The list of studies that were run here; each is a page of its own. */

import * as api from "./api.js";
import { orAway } from "./away.js";
import { $, fill, h } from "./dom.js";

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export async function showStudies() {
  const { folder, studies } = await orAway("the studies", $("studies"), api.studies());
  const none = [
    h("p", {}, "No study has been run here yet. This command runs one and writes its report:"),
    h("pre", { class: "command" }, "plyground reproduce STUDY"),
    h(
      "p",
      { class: "help" },
      "Reports are looked for in ",
      h("code", {}, folder),
      "; another folder of runs is named by ",
      h("code", {}, "plyground serve --runs"),
      ".",
    ),
  ];
  const list = h(
    "ul",
    { class: "studies" },
    studies.map(({ name, title, date }) =>
      h(
        "li",
        {},
        h("a", { href: `studies/${name}` }, title),
        h("span", { class: "help" }, `${name} · ${day.format(new Date(date))}`),
      ),
    ),
  );
  fill(
    $("studies"),
    h("section", { class: "card", "aria-label": "Studies" }, h("h2", {}, "Studies"), studies.length ? list : none),
  );
}
