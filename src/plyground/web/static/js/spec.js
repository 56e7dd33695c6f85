/** Specs such as `GAME(4,4,3)` or `uct(sims=1000, rollout="win-block")`, taken apart and put together. */

/** Splits at top-level commas; quotes, brackets and parentheses hold together. */
function split(text) {
  const parts = [];
  let depth = 0;
  let quote = "";
  let part = "";
  for (const char of text) {
    if (quote) {
      if (char === quote) quote = "";
    } else if (char === '"' || char === "'") quote = char;
    else if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) depth--;
    else if (char === "," && depth === 0) {
      parts.push(part.trim());
      part = "";
      continue;
    }
    part += char;
  }
  if (part.trim()) parts.push(part.trim());
  return parts;
}

/** The value that a text stands for; itself, if it is none. */
export function literal(text) {
  if (text === "True" || text === "False") return text === "True";
  if (text === "None") return null;
  if (/^(["']).*\1$/s.test(text)) return text.slice(1, -1);
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** The name that a spec begins with. */
export const nameOf = (spec) => spec.split("(")[0].trim();

/** The name of a spec and its values by parameter name; positional ones take the names in their order. */
export function parse(spec, known) {
  const own = known.find((one) => one.name.includes(".py") && spec.startsWith(one.name)); // a path may hold brackets
  const found = own
    ? [spec, own.name, spec.slice(own.name.length).replace(/^\(|\)$/g, "")]
    : /^\s*([^(]+?)\s*(?:\((.*)\))?\s*$/s.exec(spec);
  if (!found) return { name: spec.trim(), values: {} };
  const names = known.find((one) => one.name === found[1])?.parameters.map((p) => p.name) ?? [];
  const values = {};
  split(found[2] ?? "").forEach((part, i) => {
    const named = /^([A-Za-z_]\w*)\s*=\s*(.*)$/s.exec(part);
    if (named) values[named[1]] = literal(named[2]);
    else if (names[i]) values[names[i]] = literal(part);
  });
  return { name: found[1], values };
}

function written(value) {
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null) return "None";
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** The spec of a name with values; what equals the default is left out. Games read best without the names. */
export function build(entry, values, positional = false) {
  const told = entry.parameters.filter((p) => values[p.name] !== undefined && values[p.name] !== p.default);
  if (!told.length) return entry.name;
  const upTo = entry.parameters.indexOf(told.at(-1)) + 1;
  if (positional && upTo <= 3) {
    const all = entry.parameters.slice(0, upTo).map((p) => written(values[p.name] ?? p.default));
    return `${entry.name}(${all.join(",")})`;
  }
  return `${entry.name}(${told.map((p) => `${p.name}=${written(values[p.name])}`).join(", ")})`;
}

/** The spec of an agent that may think for so many seconds, if it would keep to a time of its own unless told. */
export function timed(spec, seconds, agents) {
  const { name, values } = parse(spec, agents);
  const entry = agents.find((one) => one.name === name);
  const bounded = entry?.parameters.some((p) => p.name === "seconds" && p.default !== null);
  return bounded && seconds !== null && values.seconds === undefined ? build(entry, { ...values, seconds }) : spec;
}
