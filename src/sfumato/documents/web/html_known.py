"""The elements and attributes of pages that are known, by what becomes of them."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


INLINE = _words(
    """
    a abbr acronym animate animatemotion animatetransform b bdi bdo big blink br cite code data del dfn em font i
    ins kbd label mark meta nobr o:p param q rb rp rt rtc ruby s samp script set small source span strike strong
    style sub sup template time track tspan tt u use var wbr
    """
)
"""Elements that lie inside a line: a text does not end at them."""

BLOCKS = _words(
    """
    address area article aside audio base basefont blockquote body button canvas caption center circle clippath
    col colgroup datalist dd defs desc details dialog dir div dl dt ellipse feblend fecolormatrix fecomposite
    feflood fegaussianblur femerge femergenode feoffset fieldset figcaption figure filter footer foreignobject
    form frame frameset g h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe image img input legend li line
    lineargradient link listing main map marker marquee mask math menu meter mfrac mi mn mo mrow ms msqrt mstyle
    msub msup mtext nav noembed noframes noscript ol optgroup option output p path pattern picture polygon
    polyline pre progress radialgradient rect search section select semantics slot stop summary svg switch symbol
    table tbody td text textarea textpath tfoot th thead title tr ul video view xmp
    """
)
"""Elements at which a text begins or ends."""

VOID = _words(
    """
    area base basefont bgsound br col embed frame hr image img input link meta param source track wbr
    """
)
"""Elements that have nothing inside."""

PROGRAMS = _words(
    """
    applet bgsound embed object script
    """
)
"""Elements that run or show what is no page."""

HIDDEN = _words(
    """
    datalist noembed noframes noscript template
    """
)
"""Elements that most readers do not see."""

ENDING_P = _words(
    """
    address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form
    h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre search section table td th tr ul
    """
)
"""Elements at which an open paragraph ends."""

DESCRIPTIONS = _words(
    """
    abbr alt aria-braillelabel aria-braillerole aria-brailleroledescription aria-description aria-label aria-
    placeholder aria-roledescription aria-valuetext label placeholder standby summary title
    """
)
"""Attributes that hold a text for readers."""

LINKS = _words(
    """
    about action archive background cite classid codebase data dynsrc formaction href icon imagesrcset itemid
    itemtype longdesc lowsrc manifest ping poster profile resource src srcset vocab xlink:href
    """
)
"""Attributes that lead somewhere."""

NAMES = _words(
    """
    aria-activedescendant aria-controls aria-describedby aria-details aria-errormessage aria-flowto aria-
    labelledby aria-owns axis class commandfor content-type-name contextmenu exportparts for form headers id is
    itemprop itemref list name part popovertarget prefix property slot typeof usemap
    """
)
"""Attributes that name something of the page."""

PLAIN = _words(
    """
    accept accept-charset align alink allow allowfullscreen aria-atomic aria-autocomplete aria-busy aria-checked
    aria-colcount aria-colindex aria-colspan aria-current aria-disabled aria-expanded aria-haspopup aria-hidden
    aria-invalid aria-level aria-live aria-modal aria-multiline aria-multiselectable aria-orientation aria-
    posinset aria-pressed aria-readonly aria-relevant aria-required aria-rowcount aria-rowindex aria-rowspan aria-
    selected aria-setsize aria-sort as async attributename attributetype
    autocapitalize autocomplete autocorrect autofocus autoplay baseprofile begin bgcolor border bordercolor
    calcmode capture cellpadding cellspacing char charoff charset checked clear clip-path clip-rule clippathunits
    color cols colspan compact contenteditable controls coords crossorigin cx cy decoding default defer
    dir direction dirname disabled display dominant-baseline draggable dur dx dy enctype enterkeyhint face
    fetchpriority fill fill-opacity fill-rule filter flood-color flood-opacity font-family font-size font-style
    font-weight formenctype formmethod formnovalidate formtarget fr frame frameborder from fx fy gradientunits
    height hidden hreflang hspace http-equiv imagesizes inert inputmode ismap kind lang language letter-
    spacing loading loop marginheight marginwidth maxlength media method minlength multiple muted
    nohref noresize noshade novalidate nowrap offset opacity open overflow playsinline pointer-events
    preload preserveaspectratio r readonly referrerpolicy rel repeatcount required rev reversed role rotate rows
    rowspan rules rx ry sandbox scope scrolling selected shape size sizes span spellcheck stop-color
    stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit
    stroke-opacity stroke-width tabindex target text text-align text-anchor text-decoration to translate type
    unselectable valign version viewbox visibility vlink vspace white-space width word-spacing wrap writing-mode x
    x1 x2 xml:lang xml:space y y1 y2 z-index
    """
)
"""Attributes with numbers and words of the language."""

BOUNDS = _words(
    """
    aria-valuemax aria-valuemin high low max min optimum start step
    """
)
"""Attributes with a number or a date that a page does not show: the day of birth may be in them."""

METAS = _words(
    """
    color-scheme format-detection referrer robots theme-color viewport
    """
)
"""What a page says to programs, by its names in ``meta``."""

HEADERS = _words(
    """
    content-language content-type x-ua-compatible
    """
)
"""What a page says to programs as a server would."""

GEOMETRY = _words(
    """
    coords d gradienttransform keysplines keytimes path patterntransform points stroke-dasharray transform values
    viewbox
    """
)
"""Attributes that draw."""
