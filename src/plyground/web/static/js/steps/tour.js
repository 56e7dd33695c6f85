/** A guided tour for somebody who has never seen a tree search: ten places in searches, and what to look at there. */

const GAME = "tictactoe";
const MOVES = "b2 b1 a1 c3";
const UCT = 'uct(rollout="random", solve=False)';
const search = (more) => ({ game: GAME, moves: MOVES, agent: UCT, seed: "48", ...more });

/** Each stop: a title, what is said, and the words of its address. */
export const STOPS = [
  {
    title: "A position, and a question",
    text: "X is to move. Five cells are free: which one is best? Monte-Carlo tree search finds out by trying. It begins with nothing but this position, the root of a tree.",
    words: search({ at: "0" }),
  },
  {
    title: "Expand",
    text: "The first simulation. The root has no children yet, so one of the moves is tried: it becomes a node of the tree, below the root.",
    words: search({ at: "0.expand" }),
  },
  {
    title: "Simulate",
    text: "From the new node on both sides play at random until the game is over. Such a roll-out is a poor game, but its result is a hint. Watch it on the board.",
    words: search({ at: "0.simulate" }),
  },
  {
    title: "Back up",
    text: "The result goes up the path. Every node counts one visit more, N, and takes the result into its mean, Q. The next steps carry it to the root.",
    words: search({ at: "0.back up" }),
  },
  {
    title: "Every move once",
    text: "Five simulations later every move at the root has been tried once. One result says little: two of them won, two lost, one was drawn. Now the search has to choose where to look again.",
    words: search({ at: "5" }),
  },
  {
    title: "Select",
    text: "A child is chosen by a sum: Q, how good it looks, and an exploration term, how little is known of it: c · √(ln N / n). The highest sum is walked to. The table has both terms of every child.",
    words: search({ at: "5.select" }),
  },
  {
    title: "The tree grows where it is good",
    text: "After 60 simulations a3 has most visits and most nodes below it: it looks best, so it is looked at most. At each of O's nodes the values are seen with O's eyes: what is good for X is bad there.",
    words: search({ at: "60" }),
  },
  {
    title: "Without exploration",
    text: "Here c is 0, so that Q alone decides. The search stays with what looked good first, c2, and moves that had bad luck once are hardly tried again. Change c in the form and go on: visits spread out.",
    words: search({ agent: 'uct(c=0.0, rollout="random", solve=False)', at: "60.select" }),
  },
  {
    title: "The answer",
    text: "After 400 simulations the most visited move is the answer: a3. It makes two threats at once, and the search has found that by playing, without being told what a threat is.",
    words: search({ at: "400" }),
  },
  {
    title: "Another way: look at everything",
    text: "Alpha-beta tries all moves and all replies instead, down to a depth, and leaves out what cannot matter. Watch α and β, the window, close, and the cut-offs. With a net, alphazero, priors guide the search and no game is played out. That is all: try another game, another agent, your own position.",
    words: { game: GAME, moves: MOVES, agent: 'alphabeta(depth=3, threats=False, memory=0, scoring="none")', at: "0.cut" },
  },
];
