"""The views that families of games bring along: which there are, and what is known of them to the page."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, NamedTuple, get_type_hints

from ..manifest import Manifest, View, families, family_of, warn
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
    """The views of all families.  One that cannot be offered is named and left out."""
    found: dict[str, FamilyView] = {}
    for family in families():
        try:
            if family.view:
                one = offerable(FamilyView(family.load(family.view), family), found)
                found[one.view.name] = one
        except InputError as error:
            warn(str(error))
    return list(found.values())


def offerable(one: FamilyView, others: Collection[str]) -> FamilyView:
    """This view, if it can be offered beside others of these names; InputError if not."""
    view, package = one.view, one.family.package
    if not isinstance(view, View):
        raise InputError(f"{package}: its view is not a View but {view!r:.60}")
    if not NAME.fullmatch(view.name) or view.name in (*TAKEN, *others):
        raise InputError(f"{package}: a view cannot be called {view.name!r}")
    missing = [file for file in (view.script, *view.styles) if not (view.static / file).is_file()]
    if missing:
        raise InputError(f"{package}: its view has no file {', '.join(missing)} in {view.static}")
    return one
