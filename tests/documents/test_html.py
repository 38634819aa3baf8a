"""Pages: every text is found, what is not edited stays byte for byte, and nothing passes in silence."""

from __future__ import annotations

import random
import re
import textwrap
from base64 import b64encode
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from canaries import bird, birds, left, replaced
from office import converted, pages, strings, walked
from sfumato.documents.rules import Refused, Rules
from sfumato.documents.web import html_body
from sfumato.documents.web.html_attributes import Page
from sfumato.documents.web.html_tokens import Token

KEPT = Rules(
    properties="keep", comments="keep", descriptions="keep", links="keep", hidden="keep", names="keep",
    attachments="keep", images="keep", programs="keep", unknown="keep",
)  # fmt: skip
PARTS = {
    "text": "<p>Dear {}</p>",
    "crossed": "<p>Dear <b>{}</b>er</p>",
    "reference": "<p>&#81;{rest}</p>",
    "named reference": "<p>&lt;{}&gt;</p>",
    "title": "<title>{}</title>",
    "textarea": "<textarea><b>{}</textarea>",
    "option": "<select><option value=x>{}</select>",
    "unclosed": "<ul><li>{}<li>more</ul>",
    "no block": "{} before <div>after</div>",
    "cell": "<table><tr><td>{}</table>",
    "alt": '<img alt="{}">',
    "two alts": "<img alt=x ALT='{}'>",
    "title attribute": "<p title={}>x</p>",
    "placeholder": "<input placeholder='{}'>",
    "value": "<input value='{}'>",
    "hidden value": "<input type=hidden value='{}'>",
    "aria": "<div aria-label='{}'>x</div>",
    "unknown aria": "<div aria-checked='{}'>x</div>",
    "data": "<div data-name='{}'>x</div>",
    "data name": "<div data-{}='x'>x</div>",
    "class": "<p class='x {}'>x</p>",
    "id": "<p id='{}'>x</p>",
    "form name": "<input name='{}'>",
    "label for": "<label for='{}'>x</label>",
    "width": "<td width='{}'>x</td>",
    "unknown attribute": "<p xyz='{}'>x</p>",
    "attribute name": "<p {}>x</p>",
    "attribute of an end": "<p>x</p title='{}'>",
    "href": "<a href='https://example.org/{}?a=b'>x</a>",
    "percent": "<a href='https://example.org/%51{rest}'>x</a>",
    "mailto": "<a href='mailto:{}@example.org?subject=x'>x</a>",
    "fragment": "<a href='#{}'>x</a>",
    "script link": "<a href='java\nscript:{}'>x</a>",
    "src": "<img src='{}.png'>",
    "srcset": "<img srcset='{}.png 1x, b.png 2x'>",
    "poster": "<video poster='{}.png'></video>",
    "action": "<form action='/{}'></form>",
    "cite": "<blockquote cite='{}'>x</blockquote>",
    "download": "<a download='{}.pdf' href='x.pdf'>x</a>",
    "base": "<base href='https://{}.example.org/'>",
    "link": "<link rel=stylesheet href='{}.css'>",
    "ping": "<a ping='/{}' href=x>x</a>",
    "xmlns": "<svg xmlns:x='urn:{}'></svg>",
    "srcdoc": "<iframe srcdoc='&lt;p title=&quot;x&quot;&gt;{}&lt;/p&gt;'></iframe>",
    "iframe": "<iframe>{}</iframe>",
    "time": "<time datetime='{}'>x</time>",
    "meta": "<meta name=author content='{}'>",
    "meta property": "<meta property=og:title content='{}'>",
    "refresh": "<meta http-equiv=refresh content='0; url=/{}'>",
    "viewport": "<meta name=viewport content='{}'>",
    "comment": "<!-- {} -->",
    "short comment": "<!--{}--!>",
    "bogus comment": "<!{}><?{}><//{}>",
    "marked section": "<![CDATA[{}]]>",
    "conditional": "<!--[if mso]><p title='x'>{}</p><![endif]-->",
    "condition": "<!--[if {}]>x<![endif]--><![if {}]>x<![endif]>",
    "properties of Word": "<!--[if gte mso 9]><xml><o:Author>{}</o:Author></xml><![endif]-->",
    "document type": "<!DOCTYPE {}>",
    "script": "<script>var x = '{}'</script>",
    "comment in a script": "<script><!-- <script>{}</script> --></script>",
    "data for programs": '<script type="application/ld+json">{{"name": "{}"}}</script>',
    "event": "<p onclick='x(\"{}\")'>x</p>",
    "noscript": "<noscript>{}</noscript>",
    "template": "<template><p>{}</p></template>",
    "hidden": "<p hidden>{}</p>",
    "not displayed": "<p style='display: none'>{}</p>",
    "object": "<object data=x><param name=y value='{}'>{}</object>",
    "applet": "<applet code='{}'></applet>",
    "embed": "<embed src='{}.pdf'>",
    "style content": "<style>p::after {{ content: '{}' }}</style>",
    "style escape": "<style>p::after {{ content: '\\51 {rest}' }}</style>",
    "style comment": "<style>/* {} */</style>",
    "style selector": "<style>.{} {{ color: red }} #{} {{ color: blue }}</style>",
    "style variable": "<style>p {{ --x-{}: {} }}</style>",
    "style url": "<style>p {{ background: url(https://example.org/{}) }}</style>",
    "style import": "<style>@import '{}.css';</style>",
    "style number": "<style>p {{ width: 4{} }}</style>",
    "style attribute": "<p style='font-family: {}; background: url(\"{}\")'>x</p>",
    "svg text": "<svg><title>{}</title><text x=1>{}</text><desc>{}</desc></svg>",
    "svg marked": "<svg><text><![CDATA[{}]]></text></svg>",
    "svg link": "<svg><a xlink:href='/{}'></a><image href='{}'/></svg>",
    "svg path": "<svg><path d='M10 {} z'/></svg>",
    "math": "<math><mi>{}</mi></math>",
    "unknown element": "<my-{} name='{}'>{}</my-{}>",
    "data url": "<img src='data:image/png;base64,{packed}'>",
    "text in a url": "<a href='data:text/html,{}'>x</a>",
    "picture in a style": "<p style='background:url(data:image/png;base64,{packed})'>x</p>",
    "xmp": "<xmp><b>{}</xmp>",
    "noframes": "<noframes><p>{}</p></noframes>",
    "script that seems closed": "<script src='{}.js'/>{}",
    "hidden that seems closed": "<p hidden/>{}",
    "plaintext": "<plaintext>{}",
    "broken tag": "<p title='{}",
}


def part(name: str, number: int) -> str:
    canary = bird(number)
    return PARTS[name].format(*[canary] * 4, rest=canary[1:], packed=b64encode(f"....{canary}....".encode()).decode())


def page(*names: str) -> bytes:
    return "\n".join(part(name, number) for number, name in enumerate(names)).encode()


@pytest.mark.parametrize("name", PARTS)
def test_no_part_keeps_what_was_marked(name: str) -> None:
    content = page(name)
    assert birds(content) or left(content)
    new = replaced("x.html", content)
    again = walked("x.html", new.content)
    assert again.content == new.content
    assert [(slot.place, slot.new) for slot in new.slots if "name " not in slot.place] == [
        (slot.place, slot.text) for slot in again.slots if "name " not in slot.place
    ]


def test_all_parts_together() -> None:
    names = [name for name in PARTS if name not in ("plaintext", "broken tag", "script that seems closed")]
    new = replaced("x.html", page(*names))
    assert len(new.texts) > 60
    assert {part for part, action in new.notes if action == "drop"} == {"images", "programs", "properties", "unknown"}


def test_parts_that_are_kept_are_as_they_were() -> None:
    names = [name for name in PARTS if name not in (
        "broken tag", "bogus comment", "two alts", "attribute name"
    )]  # fmt: skip
    content = page(*names)
    kept = left(walked("x.html", content, rules=KEPT).content)
    assert {bird(number).lower() for number in range(len(names))} <= kept


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("properties", "meta"), ("comments", "comment"), ("comments", "conditional"), ("comments", "style comment"),
        ("descriptions", "alt"), ("links", "href"), ("links", "style url"), ("hidden", "hidden"),
        ("hidden", "noscript"), ("hidden", "hidden value"), ("hidden", "data"), ("names", "class"),
        ("names", "download"), ("images", "data url"), ("images", "picture in a style"), ("programs", "script"),
        ("programs", "event"), ("programs", "script link"), ("programs", "object"), ("unknown", "unknown element"),
        ("unknown", "unknown attribute"), ("unknown", "text in a url"), ("properties", "data for programs"),
    ],
)  # fmt: skip
def test_parts_are_refused(rule: str, name: str) -> None:
    with pytest.raises(Refused, match=rf"\({rule}\) at ") as refused:
        walked("x.html", page(name), rules=Rules(**{rule: "refuse"}))
    assert not birds(str(refused.value))


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("comments", "comment"), ("comments", "conditional"), ("comments", "style comment"), ("descriptions", "alt"),
        ("links", "href"), ("hidden", "hidden"), ("hidden", "noscript"), ("hidden", "data"), ("names", "class"),
        ("names", "style selector"),
    ],
)  # fmt: skip
def test_parts_are_dropped(rule: str, name: str) -> None:
    new = walked("x.html", b"<p>before</p>" + page(name) + b"<p>after</p>", rules=Rules(**{rule: "drop"}))
    assert left(new.content) == set()
    assert {"before", "after"} <= set(new.texts.values())


def test_a_page_that_is_not_edited_stays_byte_for_byte() -> None:
    content = (
        "<!DOCTYPE html>\r\n<html lang=en-GB>\n<head><meta charset='utf-8'>"
        "<meta name=viewport content='width=device-width, initial-scale=1'>"
        "<title>A &amp; B</title>\n<style>\n.a > b, #c-d:hover { color: #fff; margin: 0 -1px 2.5em }\n"
        "@media (min-width:3em){}"
        '</style></head><BODY Class="a  b">\n<h1 ID=x>x  y\n z &nbsp; &eacute &copy;</h1>'
        "<p>1 < 2 & 3<BR/>x<br>y<p>é 🙂\n"
        "<a href='https://example.org/?a=b&amp;c=d'>x</a><img src=a.png alt=''\n width=10><ul><li>x<li>y</ul>"
        "<table border=1><tr><td colspan=2>x</table><!-- c --><!--[if mso]><p>x</p><![endif]-->"
        "<svg viewBox='0 0 1 1'><path d='M0 0L1 1z'/></svg><form><input type=text disabled></form></BODY></html>\n"
    ).encode()
    assert walked("x.html", content).content == content


def test_a_text_is_all_of_a_block() -> None:
    found = walked("x.html", b"<p>Dear <b>An</b>n&#97;<!-- x -->\n   <i>Kel&shy;ler</i>,<br>hello.</p>")
    assert [slot.text for slot in found.slots if "comment" not in slot.place] == ["Dear Anna Keller,\nhello."]
    new = walked("x.html", b"<p>Dear <b>An</b>na <i>Keller</i>, hello</p>", {"Anna Keller": "Bo <Li>"})
    assert new.content == b"<p>Dear <b>Bo &lt;Li&gt;</b><i></i>, hello</p>"
    verse = walked("x.html", b"<pre>a\n  b</pre>")
    assert [slot.text for slot in verse.slots] == ["a\n  b"]


@pytest.mark.parametrize(
    "point", ["&shy;", "<wbr>", "\u00ad", "\u200b", "&#8203;", "&ZeroWidthSpace;", "\u2060", "<WBR/>"]
)
def test_the_break_points_of_a_name_go_with_it(point: str) -> None:
    """Where a word may be divided says how long its parts are."""
    content = f"<p>{point}D{point}ear {point}Ale{point}xan{point}der{point}, hel{point}lo</p>".encode()
    new = walked("x.html", content, {"Alexander": "[PERSON]"})
    assert [slot.text for slot in new.slots] == ["Dear Alexander, hello"]
    assert new.content.count(b"[PERSON]") == 1
    for number in range(1, 5):
        short = f"<p>A{point * number}nna</p><p>An{point}na</p>".encode()
        assert walked("x.html", short, {"Anna": "X"}).content == b"<p>X</p><p>X</p>"
    assert walked("x.html", content).content == content
    inside = new.content.decode().partition("[PERSON]")[2].removeprefix(point)
    assert inside == f", hel{point}lo</p>"


@pytest.mark.parametrize("name", ["Befund.Mueller", "Befund.4711", "Befund.Mueller.gz", "Mueller.pdf"])
def test_the_ending_of_a_download_is_of_a_kind_of_files_or_a_text(name: str) -> None:
    new = walked("x.html", f"<a download='{name}'>x</a>".encode(), {"Mueller": "gone", "4711": "1"}).content.decode()
    assert re.fullmatch(r'<a download="name-1(\.gz|\.pdf)?">x</a>', new)


def test_tags_inside_a_name_stay_in_pairs() -> None:
    content = b"<p>A<b>le<wbr>x</b>an&shy;<i>der</i></p>"
    assert walked("x.html", content, {"Alexander": "Bo"}).content == b"<p>Bo<b></b><i></i></p>"


def test_headings_lead_the_cells_of_their_column() -> None:
    found = walked("x.html", (
        b"<table><tr><th>Name<th colspan=2>Born<tr><td>Anna<td>1984<td>Bonn</table>"
        b"<table><tr><th>Phone<td>123</table><dl><dt>City<dd>Ulm</dl><p>x</p>"
    ))  # fmt: skip
    leads = {slot.text: slot.lead for slot in found.slots}
    assert leads == {
        "Name": "", "Born": "", "Anna": "Name: ", "1984": "Born: ", "Bonn": "", "Phone": "", "123": "", "City": "",
        "Ulm": "City: ", "x": "",
    } | {"123": leads["123"]}  # fmt: skip


def test_names_are_numbered_alike_in_the_page_and_its_styles() -> None:
    content = b"<style>.anna p, #anna { color: red }</style><p class='big anna' id=anna><a href='#anna'>x</a></p>"
    new = walked("x.html", content, {"anna": "bo"}).content.decode()
    assert re.findall(r"name-\d", new) == ["name-1"] * 5
    assert 'class="big name-1"' in new


def test_a_link_that_was_changed_leads_nowhere() -> None:
    new = walked(
        "x.html", b"<a href='mailto:anna@example.org'>x</a><a href='https://example.org/'>y</a>", {"anna": "bo"}
    )
    assert (
        new.content == b"<a href=\"about:blank#mailto%3Abo%40example.org\">x</a><a href='https://example.org/'>y</a>"
    )


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "windows-1252", "shift_jis", "gbk", "big5", "koi8-r"])
def test_a_page_keeps_its_encoding(encoding: str) -> None:
    word = {"shift_jis": "日本", "gbk": "中国", "big5": "中國", "koi8-r": "Москва"}.get(encoding, "Zoë")
    content = f"<meta charset={encoding}><p>{word} Anna".encode(encoding)
    new = walked("x.html", content, {"Anna": "Ωmega"})
    assert f"{word} Anna" in new.texts.values()
    assert word in new.content.decode(encoding)
    assert any(f"{word} Ωmega" in each.text for each in strings("x.html", new.content))


@pytest.mark.parametrize("mark", ["utf-8-sig", "utf-16"])
def test_a_mark_says_the_encoding(mark: str) -> None:
    content = "<meta charset=koi8-r><p>Zoë Anna".encode(mark)
    new = walked("x.html", content, {"Anna": "Bo"})
    assert new.content.decode(mark) == "<meta charset=koi8-r><p>Zoë Bo"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"<p>Zo\xeb", "not in the encoding"),
        (b"<meta charset=utf-7><p>x", "not known"),
        (b"<meta charset=x-anna><p>x", "not known"),
        (b"<p>An\0na", "null characters"),
        (b'<script type="application/ld+json">{anna</script>', "not JSON"),
        (b"<b>" * 10_000 + b"anna", "deep"),
        (b"<iframe srcdoc='" * 3, ""),
    ],
)
def test_what_cannot_be_read_is_refused_without_its_content(content: bytes, reason: str) -> None:
    if not reason:  # a tag that does not end holds nothing
        assert walked("x.html", content).slots == []
        return
    rules = Rules(properties="treat") if b"json" in content else None
    with pytest.raises(Refused, match=reason) as refused:
        walked("x.html", content, rules=rules)
    assert "anna" not in str(refused.value).lower()
    assert refused.value.__context__ is None


def test_data_for_programs_are_treated_if_the_properties_are() -> None:
    content = (
        b'<script type="application/ld+json">{"@type": "Person", "name": "Anna", "age": 42, "x": [true]}</script>'
    )
    new = walked("x.html", content, {"Anna": "</script>", "42": "40"}, Rules(properties="treat"))
    assert new.content.count(b"</script>") == 1
    assert b'"name": "\\u003c/script>"' in new.content
    assert b'"age": "40"' in new.content


NUMBERS = {
    "id": '<div id="{}">x</div>',
    "name": '<a name="{}">x</a>',
    "href": '<a href="#{}">x</a>',
    "class": '<p class="a {}">x',
    "headers": '<td headers="{}">x',
    "download": '<a download="{}.pdf">x</a>',
    "data name": '<p data-{}="1">x',
    "tabindex": '<p tabindex="{}">x',
    "max": '<progress max="{}">x',
    "width": '<img width="{}">',
    "lang": '<p lang="{}">x',
    "path": '<svg><path d="{}"/></svg>',
    "values": '<svg><animate values="{}"/></svg>',
    "coords": '<area coords="{}">',
    "style": '<p style="--x: {}">x',
    "sheet": "<style>p {{ --x: {} }}</style>",
    "string": "<style>p {{ x: '{}' }}</style>",
    "anchor in a style": "<style>p {{ background: url(#{}) }}</style>",
    "viewport": '<meta name=viewport content="width={}">',
}


@pytest.mark.parametrize("part", NUMBERS)
@pytest.mark.parametrize("number", ["123-45-6789", "1984-03-12", "4711234567"])
def test_numbers_without_a_letter_are_texts(part: str, number: str) -> None:
    """They may be somebody's: a social security number, a date of birth, the number of a record."""
    drawn = part in ("path", "values", "coords") and "-" in number  # as drawings have
    new = walked("x.html", NUMBERS[part].format(number).encode(), {number: "gone"}, Rules(properties="treat"))
    assert any(number in text for text in new.texts.values()) is not drawn
    assert (number.encode() in new.content) is drawn


@pytest.mark.parametrize(
    "part",
    [
        '<meta name="mrn" content="{}">', '<meta itemprop="x" content="{}">',
        '<span property="x" content="{}">x</span>',
        '<input type=date min="{}">', '<input max="{}">', '<input step="{}">', '<ol start="{}"><li>x</ol>',
        '<meter low="{}" high="{}" optimum="{}">', '<p aria-valuemin="{}" aria-valuemax="{}">x',
        '<meta name=viewport content="{}">', '<meta http-equiv=content-language content="{}">',
    ],
)  # fmt: skip
@pytest.mark.parametrize("value", ["1984-03-12", "4711234567", "123-45-6789", "1984", "Schmidt"])
def test_attributes_that_may_hold_a_date_or_a_number_are_texts(part: str, value: str) -> None:
    content = part.replace("{}", value).encode()
    if value == "1984" and ("viewport" in part or "language" in part):  # where it is a width
        assert walked("x.html", content, rules=Rules(properties="treat")).content == content
        return
    new = walked("x.html", content, {value: "gone"}, Rules(properties="treat"))
    assert value in new.texts.values()
    assert value.encode() not in new.content
    assert value.encode() in walked("x.html", content, {value: "gone"}, KEPT).content


def test_small_bounds_stay() -> None:
    content = b"<ol start=12><li>x</ol><input min=-1 max=100 step=0.5><input step=any><progress max=1.0>"
    found = walked("x.html", content, rules=Rules(hidden="drop"))
    assert set(found.texts.values()) == {"x"}
    assert found.content == content


def test_a_date_in_a_name_is_read_as_a_date() -> None:
    found = walked("x.html", b"<p id='born_1984_03_12'><p id='1984_03_12'><p id=anna-2.keller>")
    assert list(found.texts.values()) == ["born 1984-03-12", "1984-03-12", "anna 2 keller"]


def test_measures_and_colours_are_no_texts() -> None:
    content = (
        b'<meta name=viewport content="width=1024, initial-scale=1.0, maximum-scale=5.0"><body bgcolor="#112233">'
        b'<img sizes="(min-width: 1024px) 1000px, (max-width: 1280px) 100vw" width=1024 id=a1 class="b2 col-12 360">'
        b'<area coords="34,44,270,350"><svg viewBox="0 0 1024 2048" width="12.345678">'
        b'<path d="M1234.123456 2-3-4z"/></svg>'
        b"<style>p { margin: 0 12px 1024px; grid-area: 1/2 }</style>"
    )
    assert set(walked("x.html", content).texts.values()) == {"viewport", "a1", "b2", "col 12"}


PIECES = r"""
<p> </p> <b> </b> <div|hidden> </div> <p|hidden> <script> </script> <style> </style> <!-- --> --!>
<![CDATA[ ]]> <svg> </svg> <title> </title> <textarea> </textarea> <! <? </ < > " ' = & &amp; &lt <br>
<a|href= <img|alt=' <i|title=" /> | ~ { } /* */ content:" url( <noscript> </noscript> <iframe|srcdoc='
<iframe> </iframe> <table><td> <xmp> </xmp> <plaintext> <unk- <math> <template> <select><option>
<meta|name=x|content= <input|value= data- style=' onclick=' &# &#x41; é  <p|a=1|a= <!--[if|mso]>
<![endif]--> <!DOCTYPE|html> <li> <!--> \ %41
"""
"""Pieces of tag soup; "|" is a space and "~" the end of a line."""


def kept_texts(texts: dict[str, str]) -> dict[str, str]:
    """The texts by place, without names, which are numbered."""
    return {place: text for place, text in texts.items() if "name " not in place}


@pytest.mark.parametrize("first", range(0, 1500, 300))
def test_tag_soup_is_found_and_keeps_the_places_of_its_texts(first: int) -> None:
    for seed in range(first, first + 300):
        draw = random.Random(seed)
        soup = "".join(
            bird(number) if draw.random() < 0.35 else draw.choice(PIECES.split()).replace("|", " ").replace("~", "\n")
            for number in range(draw.randint(1, 25))
        )
        new = replaced("x.html", soup.encode())
        again = walked("x.html", new.content)
        assert again.content == new.content, soup
        expected = kept_texts({slot.place: slot.new for slot in new.slots})
        found = kept_texts(again.texts)
        assert found.keys() == expected.keys(), soup
        assert ["".join(text.split()) for text in found.values()] == [  # other words may be parted by tags alone
            "".join(text.split()) for text in expected.values()
        ], soup


def test_a_part_that_is_skipped_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(self: Page, token: Token, name: str, place: str) -> Generator[None, None, str]:
        return token.attributes[name]
        yield

    monkeypatch.setattr(Page, "attribute", silent)
    with pytest.raises(AssertionError):
        replaced("x.html", page("alt"))
    with pytest.raises(AssertionError):
        replaced("x.html", page("srcset"))


def test_a_comment_that_is_skipped_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(self: html_body.Body, token: Token) -> Generator[None, None, str]:
        return token.source
        yield

    monkeypatch.setattr(html_body.Body, "_comment", silent)
    with pytest.raises(AssertionError):
        replaced("x.html", page("comment"))


def test_an_office_program_shows_as_many_pages(tmp_path: Path) -> None:
    content = (
        b"<html><head><title>x</title><style>p { font-size: 14pt }</style></head><body>"
        + b"<p class=a>Dear <b>Anna</b>, this is a line of text.</p>" * 60
        + b"</body></html>"
    )
    new = walked("x.html", content, {"Anna": "Bob"}).content
    folders = [tmp_path / "before", tmp_path / "after"]
    for folder in folders:
        folder.mkdir()
    before, after = (
        pages(converted(each, "x.html", "pdf:writer_web_pdf_Export", folder))
        for each, folder in zip((content, new), folders, strict=True)
    )
    assert before == after > 1


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Anna Schmidt<sup>1</sup>, Bo<sup>a,b</sup>", "Anna Schmidt 1, Bo a,b"),
        ("<ruby>Anna<rt>ana</rt></ruby>Li", "Anna ana Li"),
        ("<span>Anna Schmidt</span><span>44</span><span>Bo</span>", "Anna Schmidt 44 Bo"),
        ("<b>A</b>nna <i>Sch</i><b>midt</b> M<sup>me</sup> 1<sup>st</sup>", "Anna Schmidt Mme 1st"),
        ("<span>19</span><span>80</span> <b>Mc</b>Coy Anna", "1980 McCoy Anna"),
    ],
)
def test_words_that_only_tags_part_are_read_as_words(source: str, text: str) -> None:
    """A name is found where a page shows it beside a number, and no space lies between them in its source."""
    page = f"<p>{source}</p>".encode()
    found = walked("x.html", page)
    assert [slot.text for slot in found.slots] == [text]
    assert found.content == page
    assert b"Mia" in walked("x.html", page, {"Anna": "Mia"}).content


def test_an_edit_over_words_that_tags_part_leaves_no_space_of_its_own() -> None:
    page = b"<p><span>Anna</span><span>44</span>x</p>"
    assert walked("x.html", page, {"Anna 44": "Mia"}).content == b"<p><span>Mia</span><span></span>x</p>"


WRAPPED = (
    "<!DOCTYPE html><html lang=en><head><title>Letter to {0}</title><style>p {{ color: red; margin: 0 }} .a, td "
    "{{ color: green; padding: 0 }}</style></head><body><h1>About {0}</h1> <p class=a id=b>Dear {0}, we thank "
    "you for your letter, which <b>came yesterday</b> with the <i>morning</i> mail and was read by all of us.</p> "
    "<p>Here nobody is named, and the lines are as long as they are above: a reader counts them.</p>"
    "<!-- a remark for {0} about the text that stands above and below --><!--[if mso]><p>"
    "Nobody reads what {0} wrote but for old programs "
    "that show it in place of all else</p><![endif]--><table border=1 width=100><tr><td align=left "
    "valign=top>Signed <td title='a long title of a cell in which nobody is named at all'>x</table></body></html>"
)


def outside(name: str, wrap: Callable[[str], str]) -> str:
    """Return what is written of a page about somebody that a program wrapped, if all are called Bo."""
    content = wrap(WRAPPED.format(name))
    assert content.count("\n") > 8
    return walked("x.html", content.encode(), {name: "Bo"}).content.decode()


@pytest.mark.parametrize("name", ["Anastasia-Wilhelmina", "Al", "Bartholomew"])
def test_the_lines_of_the_source_do_not_tell_how_long_a_name_was(name: str) -> None:
    def filled(page: str) -> str:
        return textwrap.fill(page, 72, break_long_words=False, break_on_hyphens=False)

    def indented(page: str) -> str:
        return textwrap.fill(page, 72, break_long_words=False, break_on_hyphens=False, subsequent_indent="\t  ")

    def of_windows(page: str) -> str:
        return filled(page).replace("\n", "\r\n")

    once = outside("Anna", filled)
    assert "Dear Bo" in once
    for wrap in (filled, indented, of_windows):
        assert outside(name, wrap) == once
    assert filled(WRAPPED.format(name)) != filled(WRAPPED.format("Anna"))


def test_white_space_that_a_page_shows_stays() -> None:
    page = (
        "<style>.verse, div > q::before, #x b:hover {{ white-space: pre-line }} i {{ white-space: normal }}</style>\n"
        "<p>Dear\n{}</p>\n<pre>a\n  b</pre>\n<p style='white-space: pre-wrap'>a\n  b</p>\n"
        "<p class='c verse'>a\n  b</p>\n<div><q>a\n  b</q></div>\n<p id=x><b>a\n  b</b></p>\n"
        "<textarea>a\n  b</textarea>\n<p><i>a\n  b</i>"
    )
    new = walked("x.html", page.format("Anna").encode(), {"Anna": "Bo"}).content.decode()
    assert new == page.replace("Dear\n", "Dear ").replace("<i>a\n  b", "<i>a b").format("Bo")


def test_a_page_without_line_breaks_or_changes_stays() -> None:
    for page in ("<p>Dear Anna</p><p>x</p>", "<p>Dear\n  <b\nclass=a>you</b></p>\n\n<p>x</p>\n"):
        assert walked("x.html", page.encode(), {"Anna": "Anna"}).content == page.encode()
    broken = "<style>.a { content: 'x\n; color: red }\n</style><p>Anna"
    assert walked("x.html", broken.encode(), {"Anna": "Bo"}).content == broken.replace("Anna", "Bo").encode()
    long = "<p title='" + " " * 200_000 + "'>Anna"
    assert walked("x.html", long.encode(), {"Anna": "Bo"}).content == long.replace("Anna", "Bo").encode()
