"""The runs view in a browser: it grows with its run, opens games, and says what to do where there is none."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
import training
from browsing import Reader, Site, expect, needs_chromium, playwright, status, stones, until

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def runs_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Path]]:
    """A page with a folder of runs of its own."""
    folder = tmp_path_factory.mktemp("learner") / "runs"
    running = Site(0, "--runs", str(folder))
    yield running, folder
    running.stop()


@pytest.fixture
def learner(browser: playwright.Browser, runs_site: tuple[Site, Path]) -> Iterator[tuple[Reader, Path]]:
    """A reader of a page whose folder of runs is still empty."""
    site, folder = runs_site
    shutil.rmtree(folder, ignore_errors=True)
    someone = Reader(browser, site.address)
    yield someone, folder
    someone.context.close()
    assert someone.errors == []


def test_curves_grow_with_their_run_and_its_games_open_on_the_board(learner: tuple[Reader, Path]) -> None:
    reader, folder = learner
    page = reader.page("#runs")
    expect(page.locator("#runs .command")).to_have_text(f"plyground train dqn tictactoe --out {folder}/dqn")
    page.click("#nav-play")
    expect(page.locator("#play")).to_be_visible()
    training.run(folder / "old", training.lines(5), game="nowhere.py:Game")
    training.under_way(training.run(folder / "dqn", training.lines(40)[:20], age=0))
    page.click("#nav-runs")
    expect(page.locator(".runs-list a")).to_have_count(2)
    expect(page.locator(".runs-list a[aria-current]")).to_contain_text("dqn · tictactoe · seed 7")
    expect(page.locator(".run .growing")).to_be_visible()
    wins = page.locator(".legend button", has_text=re.compile("^wins"))
    expect(wins).to_have_text("wins 75.4%")
    expect(page.locator(".chart >> nth=0 >> .learning")).to_have_count(4)
    expect(page.locator(".chart .band")).to_have_count(1)  # around mistakes
    expect(page.locator(".legend button", has_text=re.compile("^mistakes"))).to_have_text("mistakes 35% ± 5%")
    page.click("text=What these lines say")
    expect(page.locator(".chart dl >> nth=0")).to_contain_text("share of the games that the learner wins")
    page.select_option(".compare", "old")
    expect(page.locator(".chart >> nth=0 >> .learning")).to_have_count(7)
    page.select_option(".compare", "")
    expect(page.locator(".chart >> nth=0 >> .learning")).to_have_count(4)
    wins.focus()
    with (folder / "dqn" / "metrics.jsonl").open("a") as file:
        file.write("".join(json.dumps(line) + "\n" for line in training.lines(40)[20:]) + '{"step": 99')
    expect(wins).to_have_text("wins 90%")
    expect(page.locator(".runs-list a[aria-current]")).to_contain_text("step 2,000 of 10,000")
    expect(wins).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".chart >> nth=0 >> .learning")).to_have_count(3)
    expect(page.get_by_role("img", name=re.compile("Shares over 2000 games: draws 10% to 10%"))).to_be_visible()
    page.hover(".chart-host >> nth=0", position={"x": 45, "y": 90})
    expect(page.locator(".chart h3 >> nth=0")).to_have_text("Shares at step 50")
    expect(page.locator(".samples li >> nth=1")).to_contain_text("lostmoving second")
    page.click("text=a3 a1 b3 b1 c3 >> nth=0")
    status(page, "X wins")
    assert stones(page) == 5
    page.go_back()
    page.click(".runs-list >> text=nowhere.py")
    expect(page.locator(".run h2")).to_have_text("old")
    expect(page.locator(".samples li")).to_have_count(5)
    assert page.locator(".samples a, .run .growing:visible").count() == 0
    (folder / "old" / "config.json").write_text("{")
    page.click(".runs-list >> text=tictactoe")
    page.click("text=config.json cannot be read")
    expect(page.locator(".run [role=alert]")).to_contain_text("does not describe a run")
    page.goto("about:blank")  # it would ask for the run again
    reader.refused(page)


def test_what_matters_comes_first_and_self_play_says_who_won(learner: tuple[Reader, Path]) -> None:
    reader, folder = learner
    figures = {"lr": 0.003, "games": 188.0, "draws": 0.1, "simulations": 4e4, "policy_loss": 1.9, "value_loss": 0.9}
    rounds = [{"step": 1000 * step} | figures for step in (1, 2, 3)]
    run = training.run(folder / "az", rounds, algorithm="alphazero")
    played = [{"step": 1000, "moves": training.WON, "score": score} for score in (1.0, -1.0, 0.0)]
    (run / "games.jsonl").write_text("".join(json.dumps(game) + "\n" for game in played))
    page = reader.page("#runs")
    titles = page.locator(".chart h3")
    others = ["Draws 10%", "Games a round 188", "Simulations a round 40.0k", "Learning rate 0.003"]
    expect(titles).to_have_text(["Loss of the net", *others])
    expect(page.locator(".samples .tag")).to_have_text(["drawn", "second player won", "first player won"])
    measured = rounds[-1] | {"step": 4000, "mistakes": 0.02, "net_mistakes": 0.1, "elo": 0.5}
    (run / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in [*rounds, measured]))
    page.click("#nav-play")
    expect(page.locator("#play")).to_be_visible()
    page.click("#nav-runs")
    expect(titles).to_have_text(["Shares", "Loss of the net", "Elo 0.5", *others[1:]])
    shown = page.locator(".chart >> nth=0 >> .legend [aria-pressed=true]")
    expect(shown).to_have_text(["draws 10%", "mistakes 2%", "net mistakes 10%"])


def test_a_run_of_tetris_is_watched_in_its_own_well(learner: tuple[Reader, Path]) -> None:
    """The net wants to land high: its towers end the game soon and hardly fill a line, as no other agent's do."""
    import torch

    from plyground.nets.card import Card
    from plyground.nets.files import save
    from plyground.nets.models import ActionMLP

    reader, folder = learner
    game, net = 'tetris(6,12,"simplified")', ActionMLP([9, 1])
    with torch.no_grad():
        net.layers[0].weight.copy_(torch.eye(1, 9))
    card = Card(net.sizes, "features", "policy", game, kind=net.kind)
    save(training.run(folder / "a2c", [], algorithm="a2c", game=game), net, card)
    searched = training.run(folder / "searched", [], algorithm="mcts-actor-critic", game=game)
    (searched / "net.json").write_text("{}")
    page = reader.page("#runs?run=searched")
    spec = re.escape(quote(f'mcts-actor-critic(run="{searched}")', safe=""))
    expect(page.locator(".play-link")).to_have_attribute("href", re.compile(f"^#tetris.*agent={spec}$"))
    page.click(".runs-list >> text=a2c >> nth=0")
    expect(page.locator(".run h2")).to_have_text("a2c")
    page.click("text=Watch it play")
    page.select_option("#tetris-pace", "at once")
    expect(page.locator("#view-tetris.simplified")).to_be_visible()
    expect(page.locator("#tetris-auto")).to_have_text("Take over")
    expect(page.locator("#view-tetris [aria-label='Game spec']")).to_have_value(game)
    expect(page.locator("#view-tetris [aria-label='Agent: spec']")).to_have_value(f'afterstate-net(run="{folder}/a2c")')
    expect(page.locator(".tetris-notice")).to_have_text("Game over")
    expect(page.locator(".tetris-best li")).to_contain_text('afterstate-net(run="')
    expect(page.locator("[data-figure=lines]")).to_have_text(re.compile("^[0-5]$"))
    until(page, lambda: page.locator(".tetris-well .block:not(.piece, .ghost)").count() >= 12)


def test_a_run_of_a_users_game_for_one_player_is_watched_on_the_board(
    browser: playwright.Browser, tmp_path: Path
) -> None:
    game = f"{Path(__file__).parents[1] / 'learn' / 'one_player_toys.py'}:Descent"
    for name in "a2c", "mcts-actor-critic":
        (training.run(tmp_path / name, [], algorithm=name, game=game) / "net.json").write_text("{}")
    site = Site(0, game, "--runs", str(tmp_path))
    reader = Reader(browser, site.address)
    try:
        for run, agent in ("a2c", "afterstate-net"), ("mcts-actor-critic", "mcts-actor-critic"):
            page = reader.page(f"#runs?run={run}")
            expect(page.locator(".play-link")).to_have_text("Watch it play")
            seat = re.escape(quote(f'{agent}(run="{tmp_path}/{run}")', safe=""))
            where = re.compile(f"^#play.*&first={seat}&second=human$")
            expect(page.locator(".play-link")).to_have_attribute("href", where)
    finally:
        reader.context.close()
        site.stop()
    assert reader.errors == []


def test_the_form_offers_the_runs_that_hold_a_net(learner: tuple[Reader, Path]) -> None:
    reader, folder = learner
    page = reader.page()
    page.click("#tab-with")
    page.select_option("#with select", "net")  # what it needs is shown at once
    expect(page.get_by_text("no run holds a net yet")).to_be_visible()
    for name in ("one", "two"):
        (training.run(folder / name, []) / "net.json").write_text("{}")
    page.click("#nav-runs")
    expect(page.locator(".play-link")).to_have_attribute("href", re.compile(r"second=net%28run%3D%22.*(one|two)%22%29"))
    page.click("#nav-play")
    page.select_option("#with select >> nth=0", "random")
    page.select_option("#with select >> nth=0", "net")
    offered = page.locator("#with .fields select option")
    assert sorted(offered.all_inner_texts()) == [str(folder / "one"), str(folder / "two")]
    page.select_option("#with .fields select", str(folder / "two"))
    expect(page.locator("#with .spec")).to_have_value(f'net(run="{folder}/two")')


def test_a_net_is_played_by_the_search_of_its_algorithm(learner: tuple[Reader, Path]) -> None:
    reader, folder = learner
    searches = {"reinforce": "guided(net=", "actor-critic": "alphazero(", "alphago": "alphago(", "dqn": ""}
    for name in searches:
        (training.run(folder / name, [], algorithm=name) / "net.json").write_text("{}")
    page = reader.page("#runs")
    for name, search in searches.items():
        page.click(f".runs-list strong:text-is('{name}')")
        expect(page.locator(".run h2")).to_have_text(name)
        expect(page.locator(".play-link")).to_be_visible()
        link = page.locator(".search-link:visible")
        expect(link).to_have_count(1 if search else 0)
        if search:
            expect(link).to_have_attribute("href", re.compile(re.escape("second=" + quote(search, safe=""))))


def test_a_training_is_begun_stopped_resumed_and_compared(learner: tuple[Reader, Path]) -> None:
    reader, folder = learner
    training.run(folder / "old", training.lines(30))
    page = reader.page("#runs?new=training")
    page.fill("#run-name", "mine")
    page.click(".training summary")
    page.get_by_label("games", exact=True).fill("1000000")
    page.get_by_label("seed", exact=True).fill("4")
    page.keyboard.press("Tab")
    words = f"plyground train dqn tictactoe --out {folder}/mine --games 1000000 --seed 4"
    expect(page.locator(".training .command")).to_have_text(words)
    page.click("#begin-training")
    expect(page.locator(".run .growing")).to_be_visible()
    expect(page.locator(".facts").first).to_contain_text("of 1,000,000 games")
    expect(page.locator(".facts").first).to_contain_text("about ")
    expect(page.locator(".chart .axis").first).to_have_text("games")
    page.click("#stop-run")
    expect(page.locator("#resume-run, #stop-run:text-is('End at once')").locator("visible=true").first).to_be_visible()
    expect(page.locator("#resume-run")).to_be_visible()
    expect(page.locator(".run .growing")).to_be_hidden()
    config = json.loads((folder / "mine" / "config.json").read_text())
    assert (config["options"]["games"], config["seed"]) == (1_000_000, 4)
    page.select_option(".compare", "old")
    expect(page.locator('.legend button[data-key="wins · old"]')).to_be_visible()
    page.click("#resume-run")
    expect(page.locator("#stop-run")).to_be_visible()
    page.click("#stop-run")
    expect(page.locator("#resume-run")).to_be_visible()


def test_a_name_that_is_taken_is_refused_in_a_line(learner: tuple[Reader, Path]) -> None:
    reader, folder = learner
    training.run(folder / "old", training.lines(3))
    page = reader.page("#runs?new=training")
    page.fill("#run-name", "old")
    page.click("#begin-training")
    expect(page.locator(".toast.error")).to_contain_text("there is a run 'old' already")
    reader.refused(page)


def test_a_tournament_is_begun_and_rated(learner: tuple[Reader, Path]) -> None:
    reader, folder = learner
    page = reader.page("#runs")  # where nothing has been trained yet
    page.click("text=New tournament")
    page.locator(".entrant button[aria-label='Take this agent out']").last.click()
    command = page.locator(".training .command")
    expect(command).to_have_text(f"plyground tournament tictactoe random win-block --out {folder}/tournament-1")
    page.get_by_label("games", exact=True).fill("4")
    page.keyboard.press("Tab")
    expect(command).to_have_text(re.compile(r"random win-block --out \S+/tournament-1 --games 4$"))
    page.click("#begin-tournament")
    expect(page.locator(".run")).to_contain_text("4 of 4 games")
    expect(page.locator(".ratings tbody tr")).to_have_count(2)
    expect(page.locator(".run .growing")).to_be_hidden()
    expect(page.locator(".runs-list a[aria-current]")).to_contain_text("tournament-1")
    assert json.loads((folder / "tournament-1" / "plan.json").read_text())["plan"]["agents"] == ["random", "win-block"]


def test_an_agent_that_has_not_played_has_no_score_and_nobody_has_minus_nothing(reader: Reader) -> None:
    page = reader.page("#studies")
    told = page.evaluate(
        """async () => {
            const { standings } = await import("/static/js/tournament.js");
            const same = { interval: [-500.4, 0.4], score: 0.5, draws: 0, losses: 0 };
            const ratings = [{ ...same, label: "a", elo: 12.5, wins: 2 }, { ...same, label: "b", elo: -0.3, wins: 0 }];
            const told = { name: "t", game: "g", games: 2, of: 2, seed: 0, ratings };
            const parts = standings(told, { ask() {}, allowed: true });
            const table = parts.find((part) => part?.querySelector?.("table"));
            const rows = [...table.querySelectorAll("tbody tr")];
            return rows.map((row) => [...row.children].map((one) => one.textContent));
        }"""
    )
    assert told == [
        ["1", "a", "+13", "\u2212500 to 0", "50.0%", "2", "0", "0"],
        ["2", "b", "0", "\u2212500 to 0", "\u2013", "0", "0", "0"],
    ]


def test_a_curve_that_comes_later_is_hidden_like_one_that_was_there_from_the_start(reader: Reader) -> None:
    page = reader.page("#studies")
    told = page.evaluate(
        """async () => {
            const { Chart } = await import("/static/js/chart.js");
            const chart = new Chart({ title: "Shares", share: true, first: ["wins"] });
            chart.show([{ step: 1, wins: 0.5 }], ["wins"]);
            chart.show([{ step: 1, wins: 0.5, epsilon: 0.1 }], ["wins", "epsilon"]);
            const pressed = () => [...chart.legend.children].map((one) => one.ariaPressed);
            const before = pressed();
            chart.legend.children[1].click();
            chart.show([{ step: 2, wins: 0.5, epsilon: 0.1 }], ["wins", "epsilon"]);
            return [before, pressed()];
        }"""
    )
    assert told == [["true", "false"], ["true", "true"]]
