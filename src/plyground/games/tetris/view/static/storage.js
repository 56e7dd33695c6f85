/** What a browser stores of Tetris: the agent that was chosen, and the best games of a well. It is checked when read. */

import { PACES } from "./pilot.js";

const KEY = "tetris-scores";
const OPTIONS = "tetris";
const USUAL = { agent: "bcts", seconds: 0.5, pace: "normal", advice: false };
const MOST = 10; // of a well
const WELLS = 50;

const whole = (value) => Number.isSafeInteger(value) && value >= 0;

function sound(one) {
  return one && whole(one.score) && whole(one.lines) && whole(one.level) && typeof one.who === "string";
}

function stored(key) {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? "{}");
    return found && typeof found === "object" && !Array.isArray(found) ? found : {};
  } catch {
    return {};
  }
}

function store(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // no room: the game goes on all the same
  }
}

/** Agent, seconds, pace and advice as they were chosen here before, as far as they make sense. */
export function storedOptions() {
  const found = stored(OPTIONS);
  const sane = (name) => typeof found[name] === typeof USUAL[name];
  const options = Object.keys(USUAL).map((name) => [name, sane(name) ? found[name] : USUAL[name]]);
  const { pace, ...others } = Object.fromEntries(options);
  return { ...others, pace: Object.hasOwn(PACES, pace) ? pace : USUAL.pace };
}

export const storeOptions = (options) => store(OPTIONS, options);

/** The best games in this well, the highest score first. */
export function best(spec) {
  const found = stored(KEY)[spec];
  const sane = (Array.isArray(found) ? found : []).filter(sound);
  return sane.map((one) => ({ ...one, who: one.who.slice(0, 60) })).slice(0, MOST);
}

/** Writes a game down; its place in the list from 0 on, or -1. */
export function record(spec, one) {
  const list = [...best(spec), one].sort((a, b) => b.score - a.score).slice(0, MOST);
  const { [spec]: _, ...others } = stored(KEY);
  const wells = Object.entries(others).slice(-WELLS + 1);
  store(KEY, { ...Object.fromEntries(wells), [spec]: list });
  return list.indexOf(one);
}
