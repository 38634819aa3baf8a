"""The elements and attributes of workbooks that are known to hold no text of people, or whose texts are yielded."""

from __future__ import annotations

from typing import Any

from sfumato.documents.cell_texts import MAIN
from sfumato.documents.rules import KEEP, Visit
from sfumato.documents.sheet_book import ID, RELATIONS

X14 = "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"
XM = "http://schemas.microsoft.com/office/excel/2006/main"
_SPACES = (MAIN, X14, XM)
_XML = "{http://www.w3.org/XML/1998/namespace}space"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_REVISIONS = "http://schemas.microsoft.com/office/spreadsheetml/"

_ELEMENTS = frozenset(
    # a sheet
    "worksheet chartsheet sheetPr tabColor outlinePr pageSetUpPr dimension sheetViews sheetView pane selection "
    "sheetFormatPr cols col sheetData sheetCalcPr sheetProtection protectedRanges protectedRange scenarios scenario "
    "inputCells autoFilter filterColumn filters filter dateGroupItem top10 customFilters customFilter dynamicFilter "
    "colorFilter iconFilter sortState sortCondition mergeCells mergeCell phoneticPr conditionalFormatting cfRule "
    "formula colorScale cfvo color dataBar iconSet dataValidations dataValidation formula1 formula2 hyperlinks "
    "hyperlink printOptions pageMargins pageSetup headerFooter oddHeader oddFooter evenHeader evenFooter firstHeader "
    "firstFooter rowBreaks colBreaks brk cellWatches cellWatch ignoredErrors ignoredError drawing legacyDrawing "
    "legacyDrawingHF picture tableParts tablePart "
    # its extensions
    "conditionalFormattings cfIcon borderColor fillColor negativeFillColor negativeBorderColor axisColor dxf f sqref "
    "sparklineGroups sparklineGroup sparklines sparkline colorSeries colorNegative colorAxis colorMarkers colorFirst "
    "colorLast colorHigh colorLow "
    # a table
    "table tableColumns tableColumn calculatedColumnFormula totalsRowFormula tableStyleInfo "
    # a workbook
    "workbook fileVersion workbookPr workbookProtection bookViews workbookView sheets sheet externalReferences "
    "externalReference definedNames definedName calcPr pivotCaches pivotCache "
    # styles
    "styleSheet numFmts numFmt fonts font b i strike condense extend outline shadow u vertAlign sz name family charset "
    "scheme fills fill patternFill fgColor bgColor gradientFill stop borders border left right top bottom diagonal "
    "vertical horizontal start end cellStyleXfs cellXfs xf alignment protection cellStyles cellStyle dxfs tableStyles "
    "tableStyle tableStyleElement colors indexedColors rgbColor mruColors "
    # comments
    "comments authors author commentList comment text r rPr rFont t".split()  # noqa: SIM905
)
_ATTRIBUTES = frozenset(
    # sheets
    "summaryBelow summaryRight applyStyles showOutlineSymbols autoPageBreaks fitToPage ref tabSelected workbookViewId "
    "windowProtection showFormulas showGridLines showRowColHeaders showZeros rightToLeft showRuler showWhiteSpace "
    "defaultGridColor view topLeftCell colorId zoomScale zoomScaleNormal zoomScaleSheetLayoutView zoomToFit "
    "zoomScalePageLayoutView xSplit ySplit activePane state pane activeCell activeCellId sqref baseColWidth "
    "defaultColWidth defaultRowHeight customHeight zeroHeight thickTop thickBottom outlineLevelRow outlineLevelCol "
    "min max width style hidden bestFit customWidth phonetic outlineLevel collapsed fullCalcOnLoad sheet objects "
    "scenarios formatCells formatColumns formatRows insertColumns insertRows insertHyperlinks deleteColumns "
    "deleteRows selectLockedCells sort autoFilter pivotTables selectUnlockedCells current show locked count r deleted "
    "undone numFmtId colId hiddenButton showButton blank calendarType year month day hour minute second "
    "dateTimeGrouping top percent filterVal and operator val maxVal valIso maxValIso type dxfId cellColor iconSet "
    "iconId columnSort caseSensitive sortMethod descending sortBy fontId alignment pivot priority stopIfTrue "
    "aboveAverage bottom timePeriod rank stdDev equalAverage gte minLength maxLength showValue reverse theme tint rgb "
    "indexed auto disablePrompts xWindow yWindow errorStyle imeMode allowBlank showDropDown showInputMessage "
    "showErrorMessage horizontalCentered verticalCentered headings gridLines gridLinesSet left right header footer "
    "paperSize scale firstPageNumber fitToWidth fitToHeight pageOrder orientation usePrinterDefaults blackAndWhite "
    "draft cellComments useFirstPageNumber errors horizontalDpi verticalDpi copies paperHeight paperWidth "
    "differentOddEven differentFirst scaleWithDoc alignWithMargins manualBreakCount id man pt evalError "
    "twoDigitTextYear numberStoredAsText formula formulaRange unlockedFormula emptyCellReference listDataValidation "
    "calculatedColumn axisPosition border gradient direction negativeBarColorSameAsPositive activePresent custom "
    "negativeBarBorderColorSameAsPositive manualMax manualMin lineWeight dateAxis displayEmptyCellsAs markers high low "
    "first last negative displayXAxis displayHidden minAxisType maxAxisType content "
    # tables
    "tableType headerRowCount insertRow insertRowShift totalsRowCount totalsRowShown published headerRowDxfId "
    "dataDxfId totalsRowDxfId headerRowBorderDxfId tableBorderDxfId totalsRowBorderDxfId totalsRowFunction array "
    "showFirstColumn showLastColumn showRowStripes showColumnStripes "
    # a workbook
    "date1904 dateCompatibility showObjects showBorderUnselectedTables filterPrivacy promptedSolutions "
    "showInkAnnotation backupFile saveExternalLinkValues updateLinks hidePivotFieldList showPivotChartFilter "
    "allowRefreshQuery publishItems checkCompatibility autoCompressPictures refreshAllConnections "
    "defaultThemeVersion lockStructure lockWindows lockRevision visibility minimized showHorizontalScroll "
    "showVerticalScroll showSheetTabs windowWidth windowHeight tabRatio firstSheet activeTab autoFilterDateGrouping "
    "sheetId localSheetId function vbProcedure xlm functionGroupId publishToServer workbookParameter calcId calcMode "
    "refMode iterate iterateCount iterateDelta fullPrecision calcCompleted calcOnSave concurrentCalc "
    "concurrentManualCount forceFullCalc "
    # styles
    "patternType degree position diagonalUp diagonalDown outline fillId borderId xfId quotePrefix pivotButton "
    "applyNumberFormat applyFont applyFill applyBorder applyAlignment applyProtection horizontal vertical textRotation "
    "wrapText indent relativeIndent justifyLastLine shrinkToFit readingOrder builtinId iLevel customBuiltin table size "
    # comments
    "authorId shapeId sb eb".split()  # noqa: SIM905
)
_TEXTS = {
    "sheet": ("name",), "definedName": ("name",), "table": ("name", "displayName"), "tableColumn": ("name",),
    "tableStyleInfo": ("name",), "hyperlink": ("location", "tooltip", "display"), "cfRule": ("text",),
    "dataValidation": ("promptTitle", "prompt", "errorTitle", "error"), "scenario": ("name", "comment"),
    "protectedRange": ("name",), "cellStyle": ("name",), "numFmt": ("formatCode",), "tableStyle": ("name",),
    "tableStyles": ("defaultTableStyle", "defaultPivotStyle"), "filterColumn": (), "ext": ("uri",),
}  # fmt: skip
"""The attributes that are texts, which are yielded or numbered elsewhere."""
_SECRET = ("password", "algorithmName", "hashValue", "saltValue", "spinCount", "workbookPassword")
_SILENT = ("uid", "codeName", "lastEdited", "lowestEdited", "rupBuild", "appName", "customList", "guid", "user")
"""Attributes that are left out of every file: names of programs, and what says who edited it."""


def scrub(root: Any, visit: Visit, where: str) -> None:
    """Drop the elements and attributes of a part that are not known, as the rules say. Raise Refused."""
    from lxml import etree

    kept = False
    for element in list(root.iter()):
        if element is not root and element.getparent() is None:
            continue
        if not _known(element):
            if visit.rule("unknown", where) == KEEP:
                kept = True
            elif element is not root:
                _remove(element)
            continue
        for key in list(element.attrib):
            if not _allowed(element, key) and not (_noted(key) and visit.rule("unknown", where) == KEEP):
                del element.attrib[key]
    if not kept:
        for key in [key for key in root.attrib if key.startswith(_MC)]:
            del root.attrib[key]
        etree.cleanup_namespaces(root, keep_ns_prefixes=["r"])


def _known(element: Any) -> bool:
    if not isinstance(element.tag, str):
        return False
    space, _, name = element.tag.rpartition("}")
    if name in ("ext", "extLst"):
        return space[1:] in _SPACES
    return space[1:] in _SPACES and name in _ELEMENTS


def _allowed(element: Any, key: str) -> bool:
    name = element.tag.rpartition("}")[2]
    if key in (ID, _XML) or key in _TEXTS.get(name, ()):
        return True
    return key in _ATTRIBUTES and not (name == "workbookPr" and key == "codeName")


def _noted(key: str) -> bool:
    """Return whether an attribute is one that nobody knows, and not one that is always left out."""
    plain = key.rpartition("}")[2]
    return not (key.startswith(_MC) or key.startswith(f"{{{_REVISIONS}") or plain in _SECRET or plain in _SILENT)


def _remove(element: Any) -> None:
    parent = element.getparent()
    if element.tail and element.tail.strip():
        element.tail = None
    parent.remove(element)


def linked(package: Any, part: str, root: Any) -> None:
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
                _remove(element)
                break
