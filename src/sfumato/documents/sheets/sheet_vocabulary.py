"""The elements and attributes of workbooks that are known to hold no text of people, or whose texts are yielded."""

from __future__ import annotations

import re
from typing import Any

from sfumato.documents.office.office_fonts import is_usual_font
from sfumato.documents.office.office_names import words
from sfumato.documents.office.package import Package
from sfumato.documents.rules import KEEP, Refused, Visit
from sfumato.documents.sheets.cell_texts import MAIN
from sfumato.documents.sheets.sheet_book import ID, RELATIONS

X14 = "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"
XM = "http://schemas.microsoft.com/office/excel/2006/main"
_SPACES = (MAIN, X14, XM)
_XML = "{http://www.w3.org/XML/1998/namespace}space"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"

_CELLS = re.compile(r"[A-Z]{0,3}\d{0,7}(:[A-Z]{0,3}\d{0,7})?( [A-Z]{0,3}\d{0,7}(:[A-Z]{0,3}\d{0,7})?)*")
_SHAPE = re.compile(
    r"[-+]?[\d.]*([eE][-+]?\d+)?|[0-9A-Fa-f]{6,8}|[A-Za-z][A-Za-z0-9]{0,40}|\{[-0-9A-Fa-f]{1,40}\}|[\d:]+|\d+\.\d+(mm|cm|in|pt|pc|pi)|"
    + _CELLS.pattern.replace("{0,3}\\d", "{0,3}\\$?\\d").replace("[A-Z]", r"\$?[A-Z]")
)
"""What an attribute that is no text looks like: a number, a word, an id, cells."""
_NAMES_OF_FONTS = ("name", "rFont")
_LONGEST_FONT = 64
_ELEMENTS = words(
    # a sheet
    "row c v is si worksheet chartsheet sheetPr tabColor outlinePr pageSetUpPr dimension sheetViews sheetView "
    "pane selection sheetFormatPr cols col sheetData sheetCalcPr sheetProtection protectedRanges protectedRange "
    "scenarios scenario inputCells autoFilter filterColumn filters filter dateGroupItem top10 customFilters "
    "customFilter dynamicFilter colorFilter iconFilter sortState sortCondition mergeCells mergeCell phoneticPr "
    "conditionalFormatting cfRule formula colorScale cfvo color dataBar iconSet dataValidations dataValidation "
    "formula1 formula2 hyperlinks hyperlink printOptions pageMargins pageSetup headerFooter oddHeader oddFooter "
    "evenHeader evenFooter firstHeader firstFooter rowBreaks colBreaks brk cellWatches cellWatch ignoredErrors "
    "ignoredError drawing legacyDrawing legacyDrawingHF picture tableParts tablePart "
    # its extensions
    "conditionalFormattings cfIcon borderColor fillColor negativeFillColor negativeBorderColor axisColor dxf f "
    "sqref sparklineGroups sparklineGroup sparklines sparkline colorSeries colorNegative colorAxis colorMarkers "
    "colorFirst colorLast colorHigh colorLow "
    # a table
    "table tableColumns tableColumn calculatedColumnFormula totalsRowFormula tableStyleInfo "
    # a workbook
    "workbook fileVersion workbookPr workbookProtection bookViews workbookView sheets sheet externalReferences "
    "externalReference definedNames definedName calcPr pivotCaches pivotCache "
    # styles
    "styleSheet numFmts numFmt fonts font b i strike condense extend outline shadow u vertAlign sz name family "
    "charset scheme fills fill patternFill fgColor bgColor gradientFill stop borders border left right top bottom "
    "diagonal vertical horizontal start end cellStyleXfs cellXfs xf alignment protection cellStyles cellStyle "
    "dxfs tableStyles tableStyle tableStyleElement colors indexedColors rgbColor mruColors "
    # comments
    "comments authors author commentList comment text r rPr rFont t "
)
_WITH_TEXT = words(
    "formula formula1 formula2 f sqref oddHeader oddFooter evenHeader evenFooter firstHeader firstFooter "
    "definedName calculatedColumnFormula totalsRowFormula author t "
)
"""The elements whose text is yielded, or is a place."""
_ATTRIBUTES = words(
    # rows and cells
    "r s t spans ht customFormat thickBot ph si ca "
    # sheets
    "summaryBelow summaryRight applyStyles showOutlineSymbols filterMode enableFormatConditionsCalculation "
    "transitionEvaluation transitionEntry autoPageBreaks fitToPage ref tabSelected workbookViewId "
    "windowProtection showFormulas showGridLines showRowColHeaders showZeros rightToLeft showRuler showWhiteSpace "
    "defaultGridColor view topLeftCell colorId zoomScale zoomScaleNormal zoomScaleSheetLayoutView zoomToFit "
    "zoomScalePageLayoutView xSplit ySplit activePane state pane activeCell activeCellId sqref baseColWidth "
    "defaultColWidth defaultRowHeight customHeight zeroHeight thickTop thickBottom outlineLevelRow "
    "outlineLevelCol min max width style hidden bestFit customWidth phonetic outlineLevel collapsed "
    "fullCalcOnLoad sheet objects scenarios formatCells formatColumns formatRows insertColumns insertRows "
    "insertHyperlinks deleteColumns deleteRows selectLockedCells sort autoFilter pivotTables selectUnlockedCells "
    "current show locked count r deleted undone numFmtId colId hiddenButton showButton blank calendarType year "
    "month day hour minute second dateTimeGrouping top percent filterVal and operator val maxVal valIso maxValIso "
    "type dxfId cellColor iconSet iconId columnSort caseSensitive sortMethod descending sortBy fontId alignment "
    "pivot priority stopIfTrue aboveAverage bottom timePeriod rank stdDev equalAverage gte minLength maxLength "
    "showValue reverse theme tint rgb indexed auto disablePrompts xWindow yWindow errorStyle imeMode allowBlank "
    "showDropDown showInputMessage showErrorMessage horizontalCentered verticalCentered headings gridLines "
    "gridLinesSet left right header footer paperSize scale firstPageNumber fitToWidth fitToHeight pageOrder "
    "orientation usePrinterDefaults blackAndWhite draft cellComments useFirstPageNumber errors horizontalDpi "
    "verticalDpi copies paperHeight paperWidth differentOddEven differentFirst scaleWithDoc alignWithMargins "
    "manualBreakCount id man pt evalError twoDigitTextYear numberStoredAsText formula formulaRange "
    "unlockedFormula emptyCellReference listDataValidation calculatedColumn axisPosition border gradient "
    "direction negativeBarColorSameAsPositive activePresent custom negativeBarBorderColorSameAsPositive manualMax "
    "manualMin lineWeight dateAxis displayEmptyCellsAs markers high low first last negative displayXAxis "
    "displayHidden minAxisType maxAxisType content "
    # tables
    "connectionId queryTableFieldId tableType headerRowCount insertRow insertRowShift totalsRowCount "
    "totalsRowShown published headerRowDxfId dataDxfId totalsRowDxfId headerRowBorderDxfId tableBorderDxfId "
    "totalsRowBorderDxfId totalsRowFunction array showFirstColumn showLastColumn showRowStripes showColumnStripes "
    # a workbook
    "date1904 dateCompatibility showObjects showBorderUnselectedTables filterPrivacy promptedSolutions "
    "showInkAnnotation backupFile saveExternalLinkValues updateLinks hidePivotFieldList showPivotChartFilter "
    "allowRefreshQuery publishItems checkCompatibility autoCompressPictures refreshAllConnections "
    "defaultThemeVersion lockStructure lockWindows lockRevision visibility minimized showHorizontalScroll "
    "showVerticalScroll showSheetTabs windowWidth windowHeight tabRatio firstSheet activeTab "
    "autoFilterDateGrouping sheetId localSheetId function vbProcedure xlm functionGroupId publishToServer "
    "workbookParameter calcId calcMode refMode iterate iterateCount iterateDelta fullPrecision calcCompleted "
    "calcOnSave concurrentCalc concurrentManualCount forceFullCalc "
    # styles
    "patternType degree position diagonalUp diagonalDown outline fillId borderId xfId quotePrefix pivotButton "
    "applyNumberFormat applyFont applyFill applyBorder applyAlignment applyProtection horizontal vertical "
    "textRotation wrapText indent relativeIndent justifyLastLine shrinkToFit readingOrder builtinId iLevel "
    "customBuiltin table size "
    # comments
    "authorId shapeId sb eb "
)
_TEXTS = {
    "sheet": ("name",), "table": ("name", "displayName"), "tableStyleInfo": ("name",), "protectedRange": ("name",),
    "tableColumn": ("name", "totalsRowLabel"), "hyperlink": ("location", "tooltip", "display"), "cfRule": ("text",),
    "dataValidation": ("promptTitle", "prompt", "errorTitle", "error"), "scenario": ("name", "comment"),
    "cellStyle": ("name",), "numFmt": ("formatCode",), "tableStyle": ("name",), "ext": ("uri",),
    "tableStyles": ("defaultTableStyle", "defaultPivotStyle"),
    "definedName": ("name", "comment", "description", "help", "statusBar", "customMenu"),
}  # fmt: skip
"""The attributes that are texts, which are yielded or numbered elsewhere."""
_GONE_ATTRIBUTES = words(
    "password algorithmName hashValue saltValue spinCount workbookPassword workbookAlgorithmName "
    "workbookHashValue workbookSaltValue workbookSpinCount revisionsPassword revisionsAlgorithmName "
    "revisionsHashValue revisionsSaltValue revisionsSpinCount workbookPasswordCharacterSet "
    "revisionsPasswordCharacterSet securityDescriptor uid codeName lastEdited lowestEdited rupBuild appName "
    "customList guid user uniqueName dyDescent dataCellStyle headerRowCellStyle totalsRowCellStyle syncRef "
    "syncHorizontal syncVertical knownFonts "
)
"""Attributes that are never written: passwords, programs, machines, who edited, and what leads to dropped parts."""
_GONE_ELEMENTS = words(
    "fileSharing fileRecoveryPr absPath revisionPtr documentId coauthVersionManager customWorkbookViews "
    "customSheetViews oleSize webPublishing webPublishObjects webPublishItems smartTagPr smartTagTypes smartTags "
    "functionGroups dataConsolidate customProperties slicerCaches timelineCacheRefs slicerList timelineRefs "
    "calcFeatures pivotSelection slicerStyles timelineStyles xmlColumnPr pivotCacheRefs phoneticPr "
    "securityDescriptor pivotTableReferences "
)
"""Elements that are never written: views and sharing of persons, paths, what leads to dropped parts."""
_GONE_TAGS = ("{http://schemas.microsoft.com/office/spreadsheetml/2010/11/main}workbookPr",)
_PROGRAMS = frozenset(("controls", "oleObjects"))
_EMPTY = ("ext", "extLst", "AlternateContent", "Choice", "Fallback")


def scrub(root: Any, visit: Visit, where: str) -> None:
    """Drop the elements and attributes of a part that are not known, as the rules say. Raise Refused."""
    from lxml import etree

    if not _known(root):
        raise Refused(f"{where} is not as the parts of a workbook are; save the file again")
    kept = _scrub(root, visit, where)
    _plain_text(root, root.tag.rpartition("}")[2], visit, where)
    if not kept:
        for key in [key for key in root.attrib if key.startswith(_MC)]:
            del root.attrib[key]
        etree.cleanup_namespaces(root, keep_ns_prefixes=["r"])


def _scrub(element: Any, visit: Visit, where: str) -> bool:
    """Drop what is not known inside an element; return whether something not known was kept."""
    kept = False
    for key in list(element.attrib):
        if not _allowed(element, key):
            if _noted(key) and visit.rule("unknown", where) == KEEP:
                kept = True
            elif not key.startswith(_MC):
                del element.attrib[key]
    for child in list(element):
        name = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
        if name in _PROGRAMS:
            if visit.rule("programs", where) == KEEP:
                kept = True
                continue
        elif name in _EMPTY:
            kept |= _scrub(child, visit, where)
            if len(child):
                continue
        elif _known(child) and not (name in _NAMES_OF_FONTS and where != "styles" and not is_usual_font(_val(child))):
            kept |= _scrub(child, visit, where)
            _plain_text(child, name, visit, where)
            continue
        elif (
            name
            and name not in _GONE_ELEMENTS
            and child.tag not in _GONE_TAGS
            and visit.rule("unknown", where) == KEEP
        ):
            kept = True
            continue
        element.remove(child)
    return kept


def _plain_text(element: Any, name: str, visit: Visit, where: str) -> None:
    """Drop the text of an element that has none in a workbook."""
    fine = name in _WITH_TEXT and (name != "sqref" or _CELLS.fullmatch(element.text or ""))
    if element.text and element.text.strip() and not fine and visit.rule("unknown", where) != KEEP:
        element.text = None
    if element.tail and element.tail.strip() and visit.rule("unknown", where) != KEEP:
        element.tail = None


def _val(element: Any) -> str:
    return str(element.get("val", ""))


def _known(element: Any) -> bool:
    space, _, name = element.tag.rpartition("}")
    return space[1:] in _SPACES and name in _ELEMENTS


def _allowed(element: Any, key: str) -> bool:
    name = element.tag.rpartition("}")[2]
    value = element.get(key)
    if key in (ID, _XML) or (key in _TEXTS.get(name, ()) and key != "uri"):
        return True
    if key == "val" and name in _NAMES_OF_FONTS:
        return len(value) <= _LONGEST_FONT
    known = key in ("uri", "Requires") if name in _EMPTY else key in _ATTRIBUTES
    return known and _SHAPE.fullmatch(value) is not None


def _noted(key: str) -> bool:
    """Return whether an attribute is one that nobody knows, and not one that is always left out."""
    return not key.startswith(_MC) and key.rpartition("}")[2] not in _GONE_ATTRIBUTES


def linked(package: Package, part: str, root: Any) -> None:
    """Take out what leads to dropped parts, and write the ids of the others as the package does."""
    relations = package.relations(part)
    for element in list(root.iter()):
        for key in [key for key in element.attrib if key.startswith(f"{{{RELATIONS}}}")]:
            id = element.get(key)
            if package.leads(part, id):
                element.set(key, relations[id].new_id)
            elif element.tag.endswith(("}pageSetup", "}hyperlink")):
                del element.attrib[key]
            elif element.getparent() is not None:
                element.getparent().remove(element)
                break
    for element in list(root.iter()):
        if element.tag.rpartition("}")[2] in _LISTS:
            if not len(element):
                element.getparent().remove(element)
            elif "count" in element.attrib:
                element.set("count", str(len(element)))


_LISTS = words(
    "externalReferences pivotCaches tableParts hyperlinks scenarios protectedRanges dataValidations definedNames "
)
"""Lists that may not be empty."""
