/** A short knock for a move, two notes for the end of a game: made here, no file is loaded. */

import { reduced } from "./motion.js";

let context = null;

/** Is sound wanted, unless the reader has said so or not? */
export const usual = () => !reduced();

/** A tone that dies away: hertz at its start and its end, seconds from now, how loud. */
function tone(from, to, { at = 0, lasts = 0.08, loud = 0.12, shape = "sine" } = {}) {
  const now = context.currentTime + at;
  const source = new OscillatorNode(context, { type: shape, frequency: from });
  const volume = new GainNode(context, { gain: loud });
  source.frequency.exponentialRampToValueAtTime(to, now + lasts);
  volume.gain.setValueAtTime(loud, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + lasts);
  source.connect(volume).connect(context.destination);
  source.start(now);
  source.stop(now + lasts);
}

const SOUNDS = {
  move: () => tone(420, 120, { lasts: 0.07, shape: "triangle" }),
  won: () => [523, 659, 784].forEach((note, i) => tone(note, note, { at: 0.13 * i, lasts: 0.4, loud: 0.07 })),
  lost: () => [392, 311].forEach((note, i) => tone(note, note, { at: 0.18 * i, lasts: 0.5, loud: 0.07 })),
  drawn: () => [440, 440].forEach((note, i) => tone(note, note, { at: 0.18 * i, lasts: 0.3, loud: 0.06 })),
};

/** Makes a sound: move, won, lost or drawn. A browser that has not seen a click yet stays silent. */
export function hear(name) {
  try {
    context ??= new AudioContext();
    if (context.state === "running") SOUNDS[name]();
    else context.resume().then(() => SOUNDS[name](), () => {});
  } catch {
    // there is nothing here that makes sounds
  }
}
