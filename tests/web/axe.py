"""axe-core, which looks for what keeps people from using a page: contrast, names, roles, small targets."""

from __future__ import annotations

from importlib.resources import files

from playwright.sync_api import Page

SOURCE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
RUN = """async (only) => {
    const rules = only.length ? { runOnly: only } : { rules: { "target-size": { enabled: true } } };
    const { violations } = await axe.run({ resultTypes: ["violations"], preload: false, ...rules });
    return violations.flatMap(({ id, impact, nodes }) =>
        nodes.map(({ target, any }) => [impact, id, target.join(" "), any[0]?.message ?? ""]));
}"""


def barriers(page: Page, *only: str) -> list[str]:
    """What axe-core calls serious or critical about the page as it is now, by all its rules or these."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(SOURCE)
    return [" ".join(words) for words in page.evaluate(RUN, list(only)) if words[0] in ("serious", "critical")]
