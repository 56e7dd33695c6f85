"""The agents that do not search: exactly which actions they choose between, in positions anyone can check."""

import pytest

import toys
from plyground import agents, games, rules
from plyground.spec import InputError

TICTACTOE, CONNECT_FOUR = games.make("tictactoe"), games.make("connect-four")
EMPTY = ".../.../... X"


def choices(spec, game, state):
    """The actions of an agent's policy, all equally likely; and that it draws all of them and no other."""
    agent = agents.make(spec, 5)
    policy = agent.policy(game, state)
    assert set(policy.values()) == {1 / len(policy)}
    before = state.tobytes()
    assert {agent.think(game, state).action for _ in range(40 * len(policy))} == set(policy)
    assert state.tobytes() == before
    return set(policy)


@pytest.mark.parametrize(
    ("diagram", "wanted"),
    [
        pytest.param("XX./OO./... X", {2}, id="wins before it blocks"),
        pytest.param("XX./OO./X.. O", {5}, id="wins as the second player"),
        pytest.param("X../OO./X.. X", {5}, id="blocks"),
        pytest.param("XX./.O./... O", {2}, id="blocks as the second player"),
        pytest.param("XOX/.../X.O O", {3, 4}, id="blocks one of two threats"),
        pytest.param("X.X/OO./X.O X", {1}, id="a win of its own comes before two blocks"),
        pytest.param("XX./XOO/.O. X", {2, 6}, id="takes either of two wins"),
        pytest.param("XO./.../... X", {2, 3, 4, 5, 6, 7, 8}, id="else plays anything"),
        pytest.param(EMPTY, set(range(9)), id="begins anywhere"),
    ],
)
def test_win_block_chooses(diagram, wanted):
    assert choices("win-block", TICTACTOE, TICTACTOE.read(diagram)) == wanted


@pytest.mark.parametrize(
    ("game", "diagram", "wanted"),
    [
        pytest.param("tictactoe", EMPTY, {4}, id="takes the middle"),
        pytest.param("tictactoe", ".../.X./... O", {0, 1, 2, 3, 5, 6, 7, 8}, id="anything, if the middle is taken"),
        pytest.param("tictactoe", "XX./.../O.O X", {2}, id="wins rather than taking the middle"),
        pytest.param("tictactoe", "XX./.../O.. O", {2}, id="blocks rather than taking the middle"),
        pytest.param("tictactoe(4)", "..../..../..../.... X", {5, 6, 9, 10}, id="any of four in the middle"),
        pytest.param("tictactoe(4)", "..../.X../..../.... O", {6, 9, 10}, id="what is left of the middle"),
        pytest.param("connect-four", "/".join([7 * "."] * 6), {3}, id="the middle column"),
    ],
)
def test_win_block_middle_chooses(game, diagram, wanted):
    game = games.make(game)
    assert choices("win-block-middle", game, game.read(diagram)) == wanted


def test_connect_four_is_won_and_blocked_where_a_stone_lands():
    empty = [7 * "."] * 4
    state = CONNECT_FOUR.read("/".join([*empty, "O......", "XXX.OO."]) + " X")
    assert choices("win-block", CONNECT_FOUR, state) == {3}
    state = CONNECT_FOUR.read("/".join([*empty, "O......", "XXX.O.."]) + " O")
    assert choices("win-block", CONNECT_FOUR, state) == {3}
    state = CONNECT_FOUR.read("/".join([*empty, ".......", ".XXX.OO"]) + " O")
    assert choices("win-block", CONNECT_FOUR, state) == {0, 4}
    state = CONNECT_FOUR.read(
        "/".join([*empty, "XXX..OO", "OOX..XO"]) + " X"
    )  # d2 would win, but nothing lies below it
    assert choices("win-block", CONNECT_FOUR, state) == set(range(7))


def test_random_plays_any_legal_action():
    assert choices("random", TICTACTOE, TICTACTOE.read("XX./OO./... X")) == {2, 5, 6, 7, 8}
    lines = games.make(toys.LINES)
    assert choices("random", lines, rules.new(lines)) == set(rules.legal(lines, rules.new(lines)))


# --- games that do not list their wins ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "ends", "wanted"),
    [
        pytest.param("0101", {"0": 1}, {0}, id="wins"),
        pytest.param("1010", {"0": 1, "1": -1}, {1}, id="wins as player 1"),
        pytest.param("0101", {"0": -1}, {0, 1}, id="does not look at losing at once"),
        pytest.param("0101", {"01": -1}, {1}, id="blocks"),
        pytest.param("1010", {"00": 1}, {1}, id="blocks as player 1"),
        pytest.param("0101", {"1": 1, "01": -1}, {1}, id="wins rather than blocks"),
        pytest.param("0101", {"01": -1, "10": -1}, {0, 1}, id="plays anything, if nothing blocks"),
        pytest.param("0101", {"0": 0, "11": -1}, {0}, id="an end blocks"),
        pytest.param("0101", {"01": 1}, {0, 1}, id="fears no move that loses for the opponent"),
        pytest.param("0011", {"01": 1}, {0, 1}, id="fears no win of its own"),
        pytest.param("0c11", {"00": -1}, {0, 1}, id="chance is no opponent"),
    ],
)
def test_win_block_tries_the_moves_of_a_game_without_wins(players, ends, wanted):
    game = toys.table(players, ends)
    assert choices("win-block", game, rules.new(game)) == wanted


def test_nobody_wins_at_once_in_a_misere_game():
    game = toys.load("Nim")(2, 1, 0)
    assert choices("win-block", game, rules.new(game)) == set(rules.legal(game, rules.new(game)))


def test_win_block_middle_needs_a_game_with_a_middle():
    game = toys.make("nim")
    with pytest.raises(InputError, match="middle"):
        agents.make("win-block-middle").think(game, rules.new(game))


# --- seeds --------------------------------------------------------------------------------------------


def test_the_seed_decides_and_one_in_the_spec_comes_first():
    def played(seed):
        agent = agents.make("random", seed)
        return [agent.think(TICTACTOE, rules.new(TICTACTOE)).action for _ in range(20)]

    assert played(1) == played(1)
    assert played(1) != played(2)


def test_a_thought_of_an_agent_without_search_judges_nothing():
    thought = agents.make("win-block").think(TICTACTOE, TICTACTOE.read("XX./OO./... X"))
    assert (thought.action, thought.value, thought.simulations, thought.moves) == (2, None, 0, [])
    assert thought.policy == {2: 1}
    assert type(thought.action) is int


@pytest.mark.parametrize("spec", ["random", "win-block", "uct(sims=1)", "rave(sims=1)", "uct(sims=1, check=True)"])
def test_nobody_chooses_what_nature_draws(spec: str) -> None:
    game = toys.make("dice")
    state = rules.new(game)
    while game.player(state) != rules.CHANCE:
        state = rules.after(game, state, rules.legal(game, state)[0])
    with pytest.raises(InputError, match="a chance event is due in this state"):
        agents.make(spec, 1).think(game, state)
