/** The commands that forms stand for, as one would type them into a shell. */

const shell = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The line of a command: its `words`, the folder that it writes, and its `options`. */
export function commandLine(words, out, options) {
  const option = ([name, value]) => {
    const dashed = name.replaceAll("_", "-");
    if (typeof value === "boolean") return `--${value ? "" : "no-"}${dashed}`;
    return `--${dashed} ${shell(String(value))}`;
  };
  return ["plyground", ...words.map(shell), `--out ${shell(out)}`, ...Object.entries(options).map(option)].join(" ");
}

/** What is told of the `parameters` beside their usual values. */
export function unusual(parameters, values) {
  const usual = new Map(parameters.map((one) => [one.name, one.default]));
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== undefined && value !== usual.get(name)));
}
