"""The views that families of games bring along: which there are, and what is known of them to the page."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, get_type_hints

from ..manifest import Manifest, View, families, family_of
from ..spec import InputError

NAME = re.compile(r"[a-z][a-z0-9-]*")
TAKEN = ("play", "match", "runs", "studies")  # the page's own


class FamilyView(NamedTuple):
    """A view and the family that brings it."""

    view: View
    family: Manifest

    @property
    def games(self) -> tuple[str, ...]:
        """The names of the games that it shows."""
        return self.view.games or tuple(self.family.games)

    def described(self) -> dict[str, Any]:
        """What the page is told of it."""
        at = f"views/{self.view.name}"
        return {
            "name": self.view.name,
            "title": self.view.title,
            "script": f"{at}/{self.view.script}",
            "styles": [f"{at}/{style}" for style in self.view.styles],
            "net_agent": self.view.net_agent,
        }

    def answer(self, request: str, game: Any) -> Any:
        """What it says of a game as JSON can hold it; InputError if the game is of another family."""
        if family_of(game).package != self.family.package:
            raise InputError(f"{self.view.title} shows only {', '.join(self.games)}")
        said = self.view.requests[request](game)
        return said.model_dump(mode="json") if hasattr(said, "model_dump") else said

    def model(self, request: str) -> Any:
        """The type of the answer to a request, as its function declares it."""
        return get_type_hints(self.view.requests[request]).get("return", Any)


def family_views() -> list[FamilyView]:
    """The views of all families.  InputError if one cannot be offered by its name."""
    found = [FamilyView(family.load(family.view), family) for family in families() if family.view]
    names = [one.view.name for one in found]
    for one in found:
        name = one.view.name
        if not NAME.fullmatch(name) or name in TAKEN or names.count(name) > 1:
            raise InputError(f"{one.family.package}: a view cannot be called {name!r}")
        missing = [file for file in (one.view.script, *one.view.styles) if not (one.view.static / file).is_file()]
        if missing:
            raise InputError(f"{one.family.package}: its view has no file {', '.join(missing)} in {one.view.static}")
    return found
