"""Connect Four solved slowly and obviously: plain minimax over columns of text, without bits, windows or a book."""

from functools import cache

WIN = 1000  # less the plies until then


def wins(columns, rows, col):
    """Does the stone on top of this column stand in four of a kind?"""
    row, stone = len(columns[col]) - 1, columns[col][-1]

    def there(c, r):
        return 0 <= c < len(columns) and 0 <= r < len(columns[c]) and columns[c][r] == stone

    for right, up in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            step = 1
            while there(col + sign * step * right, row + sign * step * up):
                step += 1
            length += step - 1
        if length >= 4:
            return True
    return False


@cache
def values(columns, rows):
    """The value of each move: WIN less the plies to the end if it wins, the negative of that if it loses."""
    stone = "XO"[sum(map(len, columns)) % 2]
    found = {}
    for col, stones in enumerate(columns):
        if len(stones) < rows:
            after = (*columns[:col], stones + stone, *columns[col + 1 :])
            if wins(after, rows, col):
                found[col] = WIN - 1
            else:
                best = max(values(after, rows).values(), default=0)
                found[col] = -best + (best > 0) - (best < 0)
    return found


def columns_of(game, state):
    """The stones of each column from the bottom, as text."""
    cells = game.cells(state)
    return tuple("".join(".XO"[stone] for stone in cells[col :: game.cols][::-1] if stone) for col in range(game.cols))
