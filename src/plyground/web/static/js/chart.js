/** Curves over the steps of a training, as SVG. Its legend tells the values and hides or shows each line. */

import { count, fill, h, keyed, s } from "./dom.js";

const HIGH = 256;
const TOP = 24; // with the name of the axis
const FOOT = 38;
const LEFT = 46;
const APART = 14; // between two names at the ends of lines
const COLOURS = { wins: "good", draws: "even", losses: "bad", mistakes: "p0", loss: "p0" };
const OTHERS = ["p1", "violet", "teal", "mid", "p0", "good", "bad", "even"]; // dashed when they are used again

export const BESIDE = " · "; // between the name of a figure and that of another run
export const INTERVAL = "_interval"; // after the name of a figure: half of its 95 % interval

const thousands = (number) => number.toLocaleString("en");

export const words = (name) => name.replaceAll("_", " ");

/** What tells the interval of a figure, also of that of another run. */
const interval = (name) => name.replace(/( · |$)/, `${INTERVAL}$1`);

/** Round numbers from `low` to `high`, about `most` of them. */
function ticks(low, high, most) {
  const rough = (high - low) / most || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => (first + i) * step);
}

/** Bounds that are round themselves. */
function widened(low, high) {
  if (low === high) return [low, low + 1];
  const [one, two] = ticks(low, high, 4);
  const step = two - one;
  return [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
}

/** A number as short as it can be told: 0.042, 1.7, 230, 12.3k. */
export function short(value) {
  const size = Math.abs(value);
  if (size >= 10000) return count(Math.round(value));
  return size === 0 || size >= 0.001 ? String(Number(value.toPrecision(3))) : value.toExponential(1);
}

export class Chart {
  /**
   * `share` charts go from 0 to 1 and are told in percent; `first` names the lines that are shown at first. `unit` is what
   * a step is, `meanings` say what figures mean.
   */
  constructor({ title, share = false, first = null, unit = "steps", meanings = {} }) {
    Object.assign(this, { share, unit, meanings });
    this.title = title;
    this.first = first;
    this.hidden = new Set(); // names of lines that the reader does not want to see
    this.known = new Set(); // names that there have been
    this.at = null; // the number of the line of figures that is pointed at
    this.host = h("div", { class: "chart-host" });
    this.legend = h("div", { class: "legend", role: "group", "aria-label": `${title}: lines` });
    this.note = h("small");
    this.about = h("p", { class: "help meaning" });
    this.all = h("dl", { class: "help" });
    this.words = h("details", { class: "meaning" }, h("summary", {}, "What these lines say"), this.all);
    const head = h("h3", {}, `${title} `, this.note);
    this.element = h("div", { class: "chart" }, head, this.about, this.host, this.legend, this.words);
    this.host.addEventListener("pointermove", (event) => this.#point(event));
    this.host.addEventListener("pointerleave", () => this.#look(null));
    new ResizeObserver(() => this.lines && this.host.clientWidth !== this.wide && this.#draw()).observe(this.host);
  }

  /** Draws figures of these names; `lines` have a `step` and whatever was known then. */
  show(lines, names) {
    this.lines = lines;
    this.names = names;
    const first = (name) => this.first?.includes(name.split(BESIDE)[0]);
    const fresh = names.filter((name) => !this.known.has(name));
    for (const name of fresh) this.known.add(name);
    if (names.some(first)) for (const name of fresh) if (!first(name)) this.hidden.add(name);
    const figures = [...new Set(names.map((name) => name.split(BESIDE)[0]))];
    const meant = figures.filter((name) => this.meanings[name]);
    this.about.textContent = figures.length === 1 ? (this.meanings[names[0]] ?? "") : "";
    this.about.hidden = !this.about.textContent;
    this.words.hidden = figures.length === 1 || !meant.length;
    fill(this.all, meant.map((name) => [h("dt", {}, words(name)), h("dd", {}, this.meanings[name])]).flat());
    if (this.at !== null && this.at >= lines.length) this.at = null;
    this.#draw();
  }

  /** The look of a line, unlike any other's. */
  style(name) {
    const [figure, other] = name.split(BESIDE);
    if (other) return this.style(figure).replace(/--dash: .*/, "--dash: 2 3"); // the same of another run
    const taken = this.names.map((one) => COLOURS[one]).filter(Boolean);
    const free = OTHERS.filter((one) => !taken.includes(one));
    const place = this.names.filter((one) => !COLOURS[one] && !one.includes(BESIDE)).indexOf(name);
    const again = !COLOURS[name] && place >= free.length;
    return `--tone: var(--${COLOURS[name] ?? free[place % free.length]}); --dash: ${again ? "5 3" : "none"}`;
  }

  formatted(value) {
    if (value === undefined) return "–";
    return this.share ? `${Number((100 * value).toFixed(1))}%` : short(value);
  }

  /** The latest value of a figure, up to where the reader points. */
  value(name) {
    for (let i = this.at ?? this.lines.length - 1; i >= 0; i--) {
      if (this.lines[i][name] !== undefined) return this.lines[i][name];
    }
    return undefined;
  }

  /** The same with its interval. */
  told(name) {
    const reach = this.value(interval(name));
    return this.formatted(this.value(name)) + (reach === undefined ? "" : ` ± ${this.formatted(reach)}`);
  }

  #draw() {
    const shown = this.names.filter((name) => !this.hidden.has(name));
    const curves = shown.map((name) => [name, this.lines.filter((line) => line[name] !== undefined)]);
    const values = curves.flatMap(([name, lines]) =>
      lines.flatMap((line) => [-1, 1].map((sign) => line[name] + sign * (line[interval(name)] ?? 0))),
    );
    this.wide = this.host.clientWidth || 640;
    const longest = Math.max(0, ...shown.map((name) => name.length));
    const right = this.wide < 480 ? 10 : Math.min(160, Math.max(84, 14 + 7 * longest));
    const [low, high] = this.share ? [0, 1] : widened(Math.min(0, ...values), Math.max(0, ...values));
    const [begin, end] = [0, this.lines.at(-1)?.step || 1];
    this.x = (step) => LEFT + ((step - begin) / (end - begin)) * (this.wide - LEFT - right);
    this.y = (value) => HIGH - FOOT - ((value - low) / (high - low)) * (HIGH - FOOT - TOP);
    const grid = ticks(low, high, this.share ? 5 : 4).map((value) => [
      s("path", { class: "grid", d: `M${LEFT} ${this.y(value).toFixed(1)}H${this.wide - right}` }),
      s("text", { x: LEFT - 6, y: this.y(value) + 4, class: "tick y" }, this.share ? this.formatted(value) : short(value)),
    ]);
    const steps = ticks(begin, end, this.wide < 480 ? 4 : 7).map((step) => {
      const last = this.x(step) > this.wide - 24;
      const text = end > 200000 ? count(step) : thousands(step);
      return s("text", { x: last ? this.wide : this.x(step), y: HIGH - 20, class: `tick ${last ? "y" : "x"}` }, text);
    });
    const axis = { y: HIGH - 4, x: (LEFT + this.wide - right) / 2, class: "tick x axis" };
    const names = [
      s("text", axis, this.unit),
      s("text", { x: 4, y: 12, class: "axis" }, this.share ? "share" : this.title.toLowerCase()),
    ];
    const drawn = [...curves.map(([name, lines]) => this.#band(name, lines)), ...curves.map(([name, lines]) => this.#curve(name, lines))];
    this.rule = s("path", { class: "rule" });
    const from = (name, lines) => `${words(name)} ${this.formatted(lines[0]?.[name])} to ${this.formatted(lines.at(-1)?.[name])}`;
    const heard = curves.map(([name, lines]) => from(name, lines)).join(", ") || "no line";
    const label = `${this.title} over ${end} ${this.unit}: ${heard}`;
    const box = { viewBox: `0 0 ${this.wide} ${HIGH}`, height: HIGH, role: "img", "aria-label": label };
    const ends = this.wide < 480 ? [] : this.#ends(curves, right);
    fill(this.host, s("svg", box, grid.flat(), steps, names, drawn.flat(), ends, this.rule));
    this.#look(this.at);
  }

  /** The 95 % interval of a figure, where it is told. */
  #band(name, lines) {
    const known = lines.filter((line) => line[interval(name)] !== undefined);
    if (!known.length) return [];
    const wide = known.length === 1 ? 3 : 0; // pixels to either side
    const within = (value) => (this.share ? Math.min(1, Math.max(0, value)) : value);
    const at = (line, sign) => this.y(within(line[name] + sign * line[interval(name)])).toFixed(1);
    const edge = (sign) =>
      known.flatMap((line) => (wide ? [-wide, wide] : [0]).map((by) => `${(this.x(line.step) + by).toFixed(1)} ${at(line, sign)}`));
    const round = [...edge(1), ...edge(-1).toReversed()];
    return [s("path", { d: `M${round.join("L")}Z`, class: "band", style: this.style(name) })];
  }

  #curve(name, lines) {
    const points = lines.map((line) => `${this.x(line.step).toFixed(1)} ${this.y(line[name]).toFixed(1)}`);
    const style = this.style(name);
    if (points.length === 0) return [];
    if (points.length === 1) {
      return [s("circle", { cx: this.x(lines[0].step), cy: this.y(lines[0][name]), r: 3, class: "curve-dot", style })];
    }
    const few = points.length <= 30 && points.length < this.lines.length;
    const dots = few ? lines.map((line) => [this.x(line.step), this.y(line[name])]) : [];
    return [
      s("path", { d: `M${points.join("L")}`, class: "learning", style }),
      ...dots.map(([cx, cy]) => s("circle", { cx, cy, r: 2.2, class: "curve-dot", style })),
    ];
  }

  /** The names at the ends of the lines, none over another. */
  #ends(curves, right) {
    const ends = curves.filter(([, lines]) => lines.length).map(([name, lines]) => [name, this.y(lines.at(-1)[name])]);
    ends.sort((a, b) => a[1] - b[1]);
    const room = (HIGH - FOOT - TOP) / APART;
    if (ends.length > room) return [];
    for (let i = 1; i < ends.length; i++) ends[i][1] = Math.max(ends[i][1], ends[i - 1][1] + APART);
    let floor = HIGH - FOOT;
    for (const end of ends.toReversed()) floor = (end[1] = Math.min(end[1], floor)) - APART;
    return ends.map(([name, y]) =>
      s(
        "text",
        { x: this.wide - right + 7, y: y + 4, class: "end", style: this.style(name) },
        words(name),
      ),
    );
  }

  #point(event) {
    const { left } = this.host.getBoundingClientRect();
    const far = (line) => Math.abs(this.x(line.step) - (event.clientX - left));
    let best = null;
    this.lines.forEach((line, i) => {
      if (best === null || far(line) < far(this.lines[best])) best = i;
    });
    this.#look(best);
  }

  /** Tells the values of a line of figures, or the latest. */
  #look(at) {
    this.at = at;
    const step = at === null ? null : this.lines[at].step;
    const alone = this.names.length === 1; // its value stands beside the title
    const told = alone ? this.told(this.names[0]) : "";
    this.note.textContent = `${told}${step === null ? "" : ` at step ${thousands(step)}`}`;
    this.legend.hidden = alone;
    this.rule.setAttribute("d", step === null ? "" : `M${this.x(step).toFixed(1)} ${TOP}V${HIGH - FOOT}`);
    keyed(
      this.legend,
      this.names,
      (name) => name,
      (name) =>
        h(
          "button",
          {
            type: "button",
            class: "small",
            title: this.meanings[name.split(BESIDE)[0]],
            onclick: () => this.#toggle(name),
          },
          h("span", { class: "swatch", style: this.style(name) }),
          `${words(name)} `,
          h("b"),
        ),
      (button, name) => {
        button.querySelector("b").textContent = this.told(name);
        button.setAttribute("aria-pressed", String(!this.hidden.has(name)));
      },
    );
  }

  #toggle(name) {
    if (!this.hidden.delete(name)) this.hidden.add(name);
    this.#draw();
  }
}
