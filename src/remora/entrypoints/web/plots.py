"""Plots as inline SVG: numbers in, markup out. Colours and sizes are the style sheet's; names stand beside as text."""

from collections.abc import Sequence

from markupsafe import Markup

_WIDTH = 200


def bar(value: float, top: float) -> Markup:
    """A bar as long as the value's share of `top`; what it shows stands beside it in words."""
    long = _share(value, top) * _WIDTH
    return Markup(
        '<svg class="bar" viewBox="0 0 {0} 4" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="plot-track" width="{0}" height="4"/><rect class="plot-bar" width="{1:.1f}" height="4"/></svg>'
    ).format(_WIDTH, long)


def lean(value: float, top: float) -> Markup:
    """A bar from the middle: to the right for what is above zero, to the left for what is below."""
    long, half = _share(value, top) * _WIDTH / 2, _WIDTH / 2
    return Markup(
        '<svg class="bar" viewBox="0 0 {0} 4" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="plot-track" width="{0}" height="4"/><rect class="{1}" x="{2:.1f}" width="{3:.1f}" height="4"/>'
        '<rect class="plot-axis" x="{4:.1f}" width="1" height="4"/></svg>'
    ).format(_WIDTH, "plot-more" if value >= 0 else "plot-less", half if value >= 0 else half - long, long, half)


def _share(value: float, top: float) -> float:
    return min(1.0, max(0.01, abs(value) / top)) if top > 0 and value else 0.0


def columns(groups: Sequence[tuple[str, Sequence[int]]], series: Sequence[str], title: str) -> Markup:
    """Stacked columns over time, one group a column; `series` names what is stacked, bottom first."""
    width, height, gap = 960.0, 96.0, 2.0
    top = max((sum(values) for _, values in groups), default=0) or 1
    step = width / max(1, len(groups))
    said = [
        f"{name}: " + ", ".join(f"{value} {what}" for what, value in zip(series, values, strict=True) if value)
        for name, values in groups
        if any(values)
    ]
    label = f"{title}. {'; '.join(said) or 'nothing'}"[:2_000]
    parts = [
        Markup('<svg class="plot" viewBox="0 0 960 96" preserveAspectRatio="none" role="img" aria-label="{}">').format(
            label
        )
    ]
    for at, (name, values) in enumerate(groups):
        floor = height
        for number, value in enumerate(values):
            if value:
                tall = max(1.5, value / top * (height - 4))
                floor -= tall
                box = (number, at * step, floor, max(1.0, step - gap), tall)
                parts.append(_column(box, f"{name}: {value} {series[number]}"))
    return Markup("").join((*parts, Markup("</svg>")))


def _column(box: tuple[int, float, float, float, float], said: str) -> Markup:
    return Markup(
        '<rect class="plot-series-{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"><title>{}</title></rect>'
    ).format(*box, said)
