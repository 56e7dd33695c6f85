/** Small helpers around the DOM. Data reaches the page only as text and attributes, never as markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element with properties and children. Keys that begin with "on" are listeners, `class` and names with a
 * dash or known attributes are attributes, the rest are properties. A child that is null or false is left out.
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "class") element.className = value;
    else if (key === "data") Object.assign(element.dataset, value);
    else if (key === "style") element.style.cssText = value;
    else if (key.includes("-") || key === "role" || key === "for" || key === "list") element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An SVG element with attributes and children. */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const $ = (id) => document.getElementById(id);

/** Replaces all children. */
export function fill(parent, ...children) {
  parent.replaceChildren(
    ...children.flat().filter((child) => child !== null && child !== undefined && child !== false),
  );
}

/**
 * Makes the children of `parent` those of `items`, found again by their keys: what stays is the same element, so that
 * focus outlives an update.
 */
export function keyed(parent, items, key, make, update = () => {}) {
  const known = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  items.forEach((item, i) => {
    const name = String(key(item));
    const child = known.get(name) ?? make(item);
    known.delete(name);
    child.dataset.key = name;
    if (parent.children[i] !== child) parent.insertBefore(child, parent.children[i] ?? null);
    update(child, item);
  });
  for (const gone of known.values()) gone.remove();
}

/** One line at the edge of the page, gone after a while; an error stays longer. */
export function toast(text, kind = "note") {
  const box = $("toasts");
  const lines = box.getElementsByClassName("toast");
  for (const old of [...lines]) if (old.textContent === text) old.remove();
  const line = h("div", { class: `toast ${kind}`, role: kind === "error" ? "alert" : "status" }, text);
  box.append(line);
  while (lines.length > 3) lines[0].remove();
  setTimeout(() => line.remove(), kind === "error" ? 8000 : 5000);
}

/** Says a line to a screen reader. */
export function announce(text) {
  const live = $("live");
  live.textContent = live.textContent === text ? `${text}\u00a0` : text;
}

export const percent = (share, digits = 0) => `${(100 * share).toFixed(digits)}%`;

/** A value in [-1, 1] as people read it: the share of the points that it stands for. */
export const winShare = (value) => (value + 1) / 2;

/** Points of a game of one player: 1 point, 12.5 points. */
export const points = (score) => `${Number(score.toFixed(2))} point${score === 1 ? "" : "s"}`;

/** What a value says in a view: the share of the points, or in a game of one player points to be expected. */
export const worth = (view, value) => (view.alone ? String(Number(value.toFixed(2))) : percent(winShare(value), 1));

/** The colour of a value in [-1, 1]: from bad over neutral to good, steeper near the middle. */
export function tone(value) {
  const strength = Math.min(100, 150 * Math.abs(value ?? 0)).toFixed(0);
  return `color-mix(in oklab, var(--${value < 0 ? "bad" : "good"}) ${strength}%, var(--mid))`;
}

/** 950, 12.3k, 4.5M: at most four characters and a unit. */
export function count(number) {
  if (number < 10000) return String(number);
  if (number < 1e6) return `${(number / 1e3).toFixed(number < 1e5 ? 1 : 0)}k`;
  return `${(number / 1e6).toFixed(1)}M`;
}

/** 0:07, 12:03. */
export function clock(seconds) {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** Saves a text, or a value as JSON, as a file on the reader's machine. */
export function download(name, value) {
  const text = typeof value === "string";
  const blob = new Blob([text ? value : JSON.stringify(value, null, 2)], { type: text ? "text/plain" : "application/json" });
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Where a search stands in the queue: "3 others before you, about 4 s…"; "" if it waits no longer. */
export function waiting({ before, seconds }) {
  if (seconds === 0) return "";
  const others = before === 0 ? "You are next" : `${before} other${before === 1 ? "" : "s"} before you`;
  return `${others}${seconds === null ? "" : `, about ${Math.max(1, Math.round(seconds))} s`}…`;
}

/** How far a compiler is: "Compiling grow, 40% done, about 3 s left…"; what is not known yet is left out. */
export function compiling({ kernel, share, seconds_left: left }) {
  if (!kernel) return "Preparing…";
  const rest = left === null ? "" : `, about ${Math.max(1, Math.round(left))} s left`;
  return `Compiling ${kernel}, ${percent(share)} done${rest}…`;
}

/** A button with drawn or written content; its title is what a screen reader says, unless there is a label. */
export function button(id, content, title, onclick, label = title) {
  return h("button", { type: "button", id, title, "aria-label": label, onclick }, content);
}

/** Small drawings for the buttons, so that no font has to know them. */
const ICONS = {
  start: "M5 4v12M15 4l-7 6 7 6z",
  back: "M13 4l-7 6 7 6z",
  forward: "M7 4l7 6-7 6z",
  end: "M15 4v12M5 4l7 6-7 6z",
  sound: "M3 8v4h3l4 3.5v-11L6 8zM13 7.5q2 2.5 0 5M15.5 5q4 5 0 10",
  silence: "M3 8v4h3l4 3.5v-11L6 8zM13.5 8l4 4M17.5 8l-4 4",
};
export const icon = (name) =>
  s("svg", { viewBox: "0 0 20 20", class: "icon", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));
