"""Words of models and people that try to be more than words."""

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)><a href='javascript:alert(3)'>a</a>"
    "<iframe srcdoc='<script>alert(4)</script>'></iframe><style>*{display:none}</style></section></main>"
    "[a link](javascript:alert(5)) {{ 7 * 191 }} \x1b]8;;javascript:alert(6)\x07b\x1b]8;;\x07 "
    "<svg onload=alert(7)> data:text/html,<script>alert(8)</script>"
)
