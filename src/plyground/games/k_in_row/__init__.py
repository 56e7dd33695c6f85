"""k in a row on a board of m columns and n rows: tic-tac-toe, Gomoku and all between."""

from __future__ import annotations

from ...manifest import Manifest

BOARDS = "gomoku(15)", "gomoku(20)", 'gomoku(15, "exactly-five")', 'gomoku(20, "exactly-five")'  # those of Gomocup

MANIFEST = Manifest(
    __name__,
    games={"tictactoe": "rules:tictactoe", "mnk": "rules:mnk", "gomoku": "rules:gomoku"},
    agents={
        "one-ply": "one_ply:OnePly",
        "threats": "agents:Threats",
        "gomoku-classic": "agents:GomokuClassic",
        "gomoku-master": "master:GomokuMaster",
    },
    scorings={"patterns": "scorings:Patterns"},
    engines={"gomocup": "gomocup.command:gomocup"},
    protocols={"gomocup": "gomocup.external:Gomocup"},
    warmups=BOARDS[1:],
    packed=tuple((board, agent) for board in BOARDS for agent in ("gomoku-master", "gomoku-classic")),
    trials={"gomocup": "gomocup.trial:run"},
    small=("tictactoe", "tictactoe", "mnk(3,3,3)", "mnk(4,3,3)", "mnk(1,1,1)", "gomoku(5)"),
    tiny=("mnk(2,2,2)", "mnk(3,2,2)", "mnk(1,1,1)"),
    in_openspiel={
        "tictactoe": "tic_tac_toe",
        "mnk(4,3,3)": "mnk(m=4,n=3,k=3)",
        "mnk(6,6,4)": "mnk(m=6,n=6,k=4)",
        "gomoku(7)": "gomoku(size=7,connect=5)",
        "gomoku(15)": "gomoku(size=15,connect=5)",
    },
    benchmarks={"engine": "gomocup.bench:engine", "patterns": "pattern_net.bench:patterns"},
    formats={".sgf": "formats.sgf", ".psq": "formats.psq"},
    presets={"alphazero": "presets:ALPHAZERO"},
    openings="book:openings",
    opponent="agents:opponent",
    double_threats="tactics.double_threats:double_threats",
    prover="tactics.prover:prover_for",
    variable=frozenset({"m", "n", "exact"}),
    nets="nets",
    openspiel="openspiel:same",
    net_kinds={"patterns": "pattern_net.kind"},
)
