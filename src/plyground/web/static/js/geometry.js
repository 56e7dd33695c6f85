/**
 * Where cells lie, in units of the drawing, `U` being the side of a cell. A rim around the board holds the
 * coordinates, shown or not, so that nothing moves when they are switched.
 */

export const U = 40;
const LABEL = 0.024; // size of the labels, beside the size of the board
const SLOPE = Math.sqrt(3) / 2; // height of a row of hexagons whose width is 1

/**
 * The layout of a View: `centre(cell)` in drawing units, the size, the cells there are, and where labels stand.
 * What falls down, stones or pieces, is flipped left to right only.
 */
export function layout(view, flip) {
  const { shape, rows, cols } = view.board;
  const hex = shape === "hexagons";
  const present = view.cells.map((_, cell) => cell).filter((cell) => view.cells[cell] !== -1);
  const raw = (cell) => {
    const r = Math.floor(cell / cols);
    const c = cell % cols;
    return hex ? [(c + (r % 2) / 2) * U, r * SLOPE * U] : [c * U, r * U];
  };
  const xs = present.map((cell) => raw(cell)[0]);
  const ys = present.map((cell) => raw(cell)[1]);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  const high = hex ? U / Math.sqrt(3) : U / 2; // from a centre to the highest point of its cell
  const size = Math.max(right - left + U, bottom - top + 2 * high);
  const font = size * LABEL;
  const rim = 2 * font;
  const falls = drops(view) || shape === "well";
  const centre = (cell) => {
    const [x, y] = raw(cell);
    return [rim + U / 2 + (flip ? right - x : x - left), rim + high + (flip && !falls ? bottom - y : y - top)];
  };
  const width = right - left + U + 2 * rim;
  const height = bottom - top + 2 * high + 2 * rim;
  const firstRow = hex ? Math.min(...present.map((cell) => Math.floor(cell / cols))) : 0;
  const lastRow = hex ? Math.max(...present.map((cell) => Math.floor(cell / cols))) : rows - 1;
  const rowsThere = Array.from({ length: lastRow - firstRow + 1 }, (_, i) => firstRow + i);
  const colsThere = [...new Set(present.map((cell) => cell % cols))].sort((a, b) => a - b);
  const labels = [
    ...colsThere.map((c) => {
      const x = rim + U / 2 + (flip ? right - c * U - (hex ? U / 4 : 0) : c * U + (hex ? U / 4 : 0) - left);
      return { text: view.board.columns?.[c] ?? "", x, y: height - rim / 2 };
    }),
    ...rowsThere.map((r) => {
      const y = centre(r * cols)[1];
      return { text: view.board.row_labels?.[r] ?? "", x: rim / 2, y };
    }),
  ];
  return { hex, flip, present, centre, width, height, labels, font, rows: rowsThere };
}

/**
 * The sides of a board of hexagons that belong to players, as paths along the outer sides of its cells. `edges` of the
 * board names those of each player: what looks up in the highest row is the top, what looks down in the lowest the
 * bottom, and all else left or right.
 */
export function edges(view, at) {
  const { edges: owned, cols } = view.board;
  if (!owned?.length) return [];
  const spot = ([x, y]) => `${Math.round(x)} ${Math.round(y)}`;
  const there = new Set(at.present.map((cell) => spot(at.centre(cell))));
  const found = [];
  for (const cell of at.present) {
    const [x, y] = at.centre(cell);
    const corners = hexagon(x, y, U).split(" ");
    for (let side = 0; side < 6; side++) {
      const turn = (Math.PI / 3) * (side + 1); // the side between corners `side` and `side + 1` looks this way
      const [dx, dy] = [Math.cos(turn), Math.sin(turn)];
      if (there.has(spot([x + dx * U, y + dy * U]))) continue;
      const row = at.rows.indexOf(Math.floor(cell / cols)); // as the rules know it, however the board is turned
      const [right, down] = at.flip ? [-dx, -dy] : [dx, dy];
      const upright = (row === 0 && down < -0.5) || (row === at.rows.length - 1 && down > 0.5);
      const name = upright ? (down < 0 ? "top" : "bottom") : right < 0 ? "left" : "right";
      const player = owned.findIndex((names) => names.includes(name));
      if (player >= 0) found.push({ player, d: `M${corners[side]}L${corners[(side + 1) % 6]}` });
    }
  }
  return found;
}

/** Do stones fall in this game? They do if its moves are called by the columns alone. */
export function drops(view) {
  const names = [...view.legal.map((move) => move.name), ...view.moves];
  const columns = new Set(view.board.columns ?? []);
  return view.board.shape === "cells" && names.length > 0 && names.every((name) => columns.has(name));
}

/** What people call a cell. */
export function cellName(view, cell) {
  const { rows, cols, columns, row_labels: labels } = view.board;
  const [row, col] = [Math.floor(cell / cols), cell % cols];
  const column = columns?.[col] || `column ${col + 1}`;
  return labels?.[row] && columns?.[col] ? column + labels[row] : `${column} row ${rows - row}`;
}

/** The size of a text on a cell, beside the side of the cell: a piece fills it, a number has room. */
export function glyphSize(glyph) {
  const ascii = [...glyph].every((letter) => letter <= "~");
  return Math.min(ascii ? 0.42 : 0.8, 1.3 / [...glyph].length);
}

/** The corners of a hexagon that stands on a point. */
export function hexagon(x, y, width) {
  const radius = width / Math.sqrt(3);
  return [0, 1, 2, 3, 4, 5]
    .map((i) => {
      const turn = (Math.PI / 3) * i + Math.PI / 6;
      return `${(x + radius * Math.cos(turn)).toFixed(2)},${(y + radius * Math.sin(turn)).toFixed(2)}`;
    })
    .join(" ");
}

/**
 * The cells that a line of moves would fill, as [[cells], ...]; it ends where a name cannot be placed. Names are
 * looked up among the legal moves, then among the cells; in a drop game stones pile up.
 */
export function placed(view, names) {
  const legal = new Map(view.legal.map((move) => [move.name, move.cells]));
  const byName = new Map(view.cells.map((_, cell) => [cellName(view, cell), cell]));
  const taken = new Set();
  const falls = drops(view);
  const found = [];
  if (view.board.shape === "well") names = names.slice(0, 1); // what falls next is another piece
  for (const name of names) {
    let cells = legal.get(name) ?? (byName.has(name) ? [byName.get(name)] : null);
    while (falls && cells?.length && taken.has(cells[0])) cells = [cells[0] - view.board.cols];
    if (!cells?.length || cells[0] < 0) break;
    cells.forEach((cell) => taken.add(cell));
    found.push(cells);
  }
  return found;
}
