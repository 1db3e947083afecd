"""Markdown as HTML, for what agents write.

HTML in a text stays text. Only addresses of the web and of mail become links. A picture is named by its words and its
address, because the page loads nothing from elsewhere. Headings are paragraphs, because a text is not part of the
page's outline, and columns are aligned by classes, because the page allows no styles in its elements.
"""

from collections.abc import Sequence
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

MAX_CHARACTERS = (
    20_000  # a longer text is shown as it was written: some texts take more time than others of their length
)
MAX_KEPT_TEXTS = 500  # what a browser shows is rendered again with each change
LINK_SCHEMES = ("http", "https", "mailto")


@lru_cache(MAX_KEPT_TEXTS)
def markdown_to_html(text: str) -> Markup:
    if len(text) > MAX_CHARACTERS:
        return Markup('<p class="plain">{}</p>').format(text)
    return Markup(PARSER.render(text))


class PageRenderer(RendererHTML):
    """Draws some kinds of tokens in another way. The methods have the names of these kinds."""

    def heading_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
        return '<p class="heading">'

    def heading_close(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
        return "</p>\n"

    def link_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
        tokens[index].attrSet("rel", "noopener noreferrer")
        return self.renderToken(tokens, index, options, env)

    def image(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
        words = self.renderInlineAsText(tokens[index].children, options, env)
        return escapeHtml(f"{words} ({tokens[index].attrs['src']})".lstrip())

    def table_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
        return '<div class="wide" tabindex="0"><table>'

    def table_close(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
        return cell_start(tokens[index])

    def td_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
        return cell_start(tokens[index])

    def fence(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
        return f'<pre tabindex="0"><code>{escapeHtml(tokens[index].content)}</code></pre>\n'

    def code_block(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
        return self.fence(tokens, index, options, env)


def cell_start(token: Token) -> str:
    _, _, side = str(token.attrs.get("style", "")).partition(":")  # the parser writes text-align:SIDE
    return f'<{token.tag} class="{side}">' if side else f"<{token.tag}>"


class PageMarkdown(MarkdownIt):
    """CommonMark with tables and strikethrough. Each line break is kept: people and models mean them."""

    def __init__(self) -> None:
        super().__init__("commonmark", {"html": False, "breaks": True}, renderer_cls=PageRenderer)
        self.enable(["strikethrough", "table"])

    def validateLink(self, url: str) -> bool:
        return url.partition(":")[0].lower() in LINK_SCHEMES


PARSER = PageMarkdown()
