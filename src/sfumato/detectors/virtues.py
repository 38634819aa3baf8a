"""First names that are everyday words: virtues, days and hopes, as in Nigeria, Ghana, Kenya and Zimbabwe."""

from __future__ import annotations

from sfumato.language.lists import words_of

VIRTUES = frozenset(
    words_of(
        """
    angel beauty beloved blessing bliss bright charity chastity clarity comfort constance courage destiny devotion
    divine endurance eternity faith favor favour fidelity fortune freedom friday genesis genuine gift gladness glory
    godsend goodness goodwill grace gracious happiness happy harmony heaven honest honesty honor honour hope humble
    humility innocent ivory joy justice kindness king lake liberty love loveth loyal lucky marvellous marvelous
    memory mercy miracle modesty monday moses mystery obey ocean patience peace pearl perfect perpetua pleasant
    praise prayer precious pride prince princess prosper prosperity providence prudence pure purity queen rejoice
    remember resolved righteous river royal sage saint salvation saviour serenity shadow sincere sky solace star
    storm summer sunday sunny sunshine sweet temperance testimony thankful treasure tribute trinity triumph true
    trust truth tuesday unity victory virtue wednesday welcome winner winter wisdom wonder wonderful
    """
    )
)
