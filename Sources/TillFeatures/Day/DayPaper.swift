import Foundation
package import TillCore
package import TillCounter
package import TillReceipts

/// A report on paper, drawn and printed as receipts are: the shop's header, then all that the report's file says, in
/// the language of receipts.
package struct DayPaper: Sendable {
    private let setup: ReceiptSetup
    private let mode: PaymentMode

    /// - Parameter mode: The counter's mode; in test mode the paper is marked as a test receipt is.
    package init(_ setup: ReceiptSetup, mode: PaymentMode) {
        (self.setup, self.mode) = (setup, mode)
    }

    /// Lays out a report.
    /// - Parameter isReprint: `true` if it is or may be on paper already.
    package func document(_ standing: DayBook.Standing, isReprint: Bool = false) -> ReceiptDocument {
        var layout = DayPaperLayout(standing.report, setup)
        return layout.make(standing.entries(in: setup.store.timeZone), mode: mode, isReprint: isReprint)
    }

    /// Returns what a print service makes reports with.
    package func reports(of book: DayBook) -> ReceiptService.Reports {
        { account, report, isReprint in
            document(try await book.at(report.drawer).report(report.number, of: account), isReprint: isReprint)
        }
    }
}

/// Arranges the entries of a report in sections, each under its title.
private struct DayPaperLayout {
    private typealias Row = ReceiptDocument.Row

    /// The number of digits of the chain's head in a line, for which the narrowest paper has room.
    private static let digitsInLine = 16

    private let report: DayReport
    private let store: StoreDetails
    private let format: ReceiptFormat
    private let words: DayWords
    private var blocks: [ReceiptDocument.Block] = []
    /// The section that is open: its title, and its rows.
    private var title = ""
    private var rows: [Row] = []

    init(_ report: DayReport, _ setup: ReceiptSetup) {
        (self.report, store) = (report, setup.store)
        format = ReceiptFormat(setup.locale, zone: setup.store.timeZone)
        words = DayWords(format.labels.language)
    }

    mutating func make(_ entries: [DayEntry], mode: PaymentMode, isReprint: Bool) -> ReceiptDocument {
        let name = ReceiptText(verbatim: heading)
        if mode == .test { blocks += [format.testNotice, .rule] }
        blocks.append(format.heading(of: store))
        blocks += store.address.map { .line($0) }
        blocks.append(.rule)
        if isReprint { blocks.append(.line(format.reprint)) }
        let zone = ReceiptText(verbatim: words.text(.timesIn, "zone", store.timeZone.identifier))
        blocks.append(.notice(name, zone, label: name, isWarning: false))
        if report.closing == nil {
            let read = words.text(.readAt, "time", format.time(report.until))
            blocks.append(.line(ReceiptText(verbatim: read)))
        }
        for entry in entries { put(entry) }
        finishSection()
        blocks.append(.cut)
        return ReceiptDocument(
            title: ReceiptText(verbatim: "\(heading) – \(store.name.plain)"), labels: format.labels, blocks: blocks)
    }

    /// The name of the report: after a restore numbers come again, which the journal's epoch tells apart.
    private var heading: String {
        guard let number = report.number else { return words[.xReport] }
        let digits = String(number)
        let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        return words.text(.zReport, "name", padded + (report.epoch > 1 ? "/\(report.epoch)" : ""))
    }

    // MARK: Sections

    private mutating func put(_ entry: DayEntry) {
        switch entry {
        case .fact(let kind, let value): put(kind, value)
        case .moment(let kind, let moment): put(kind, format.time(moment))
        case .sums(let division, let currency, let sums): put(division, currency, sums)
        case .noTables(let isMain):
            finishSection()
            blocks.append(.rule)
            blocks.append(.line(ReceiptText(verbatim: words[isMain ? .noTables : .accountHasTables])))
        case .cash(let kind, let currency, let units): put(kind, units, currency)
        case .openingReason(let reason): add(words[.openingReason], ReceiptText(reason))
        case .movement(let movement, let currency): put(movement, currency)
        }
    }

    /// Opens the section of a title, unless it is the one that is open.
    private mutating func section(_ title: String) {
        guard title != self.title else { return }
        finishSection()
        self.title = title
    }

    private mutating func finishSection() {
        guard !rows.isEmpty else { return }
        let caption = ReceiptText(verbatim: title)
        blocks.append(.rule)
        if !title.isEmpty { blocks.append(.line(caption)) }
        blocks.append(.table(ReceiptDocument.Table(caption: caption, holdsAmounts: true, rows: rows)))
        (title, rows) = ("", [])
    }

    private mutating func add(_ label: String, _ value: ReceiptText, isStrong: Bool = false) {
        rows.append(Row(label: ReceiptText(verbatim: label), value: value, isStrong: isStrong))
    }

    private mutating func add(
        _ label: String, _ units: Int64, _ currency: Currency, count: Int64 = 0, isStrong: Bool = false
    ) {
        rows.append(
            Row(
                label: ReceiptText(verbatim: label), middle: count == 0 ? nil : ReceiptText(verbatim: "\(count)"),
                value: amount(units, currency), isStrong: isStrong, isCounted: true))
    }

    private func amount(_ units: Int64, _ currency: Currency) -> ReceiptText {
        format.amount(Money(minorUnits: units, currency: currency))
    }

    private func negated(_ units: Int64) -> Int64 { Int64(0).limitedDifference(units) }

    // MARK: Facts

    private mutating func put(_ fact: DayEntry.Fact, _ value: String) {
        switch fact {
        case .drawer: add(words[.drawer], ReceiptText(value))
        case .currency: add(words[.currency], ReceiptText(verbatim: value))
        case .from: add(words.text(.openSince, "time", value), ReceiptText(report.session.openedBy))
        case .until where report.closing != nil: add(words[.drawerCounted], ReceiptText(verbatim: value))
        case .closedAt: add(words.text(.closedAt, "time", value), ReceiptText(report.closing?.by ?? ""))
        case .reason: add(words[.reason], ReceiptText(value))
        case .journalHead: put(head: value)
        case .unreadable where !report.figures.unreadable.isEmpty:
            rows.append(
                Row(
                    label: ReceiptText(verbatim: words[.unreadable]), value: ReceiptText(verbatim: value),
                    isGap: true))
        // In the heading, beside another fact, or no fact of this report.
        case .number, .epoch, .zone, .until, .openedBy, .closedBy, .firstSequence, .lastSequence, .hoursZone,
            .previous, .unreadable:
            break
        }
    }

    /// Puts the position and the digits of the chain's head, in lines that nobody has to break.
    private mutating func put(head: String) {
        let parts = head.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return }
        var (lines, left): ([ReceiptText], Substring) = ([], parts[1])
        while !left.isEmpty {
            lines.append(ReceiptText(verbatim: String(left.prefix(DayPaperLayout.digitsInLine))))
            left = left.dropFirst(DayPaperLayout.digitsInLine)
        }
        let label = words.text(.headAfter, "number", "").replacing("  ", with: " ")
        rows.append(
            Row(label: ReceiptText(verbatim: label), value: ReceiptText(verbatim: String(parts[0])), details: lines))
    }

    // MARK: Sums

    private mutating func put(_ division: DayEntry.Division, _ currency: Currency, _ sums: DaySums) {
        switch division {
        case .whole:
            section(currency.code)
            whole(sums, currency, .netSales)
        case .allReports:
            section(words[.grandTotals])
            whole(sums, currency, .net)
        case .tender(let name):
            section(titled(words[.byTender], currency))
            line(tender(name), sums, currency)
        case .provider(let name):
            section(titled(words[.byProvider], currency))
            line(name.isEmpty ? words[.noName] : name, sums, currency)
        case .drawer(let name):
            section(titled(words[.byDrawer], currency))
            line(name == .main ? words[.firstDrawer] : name.rawValue, sums, currency)
        case .row(let by, let row): put(row, of: by, currency, sums)
        }
    }

    /// Returns a title, with the currency if it is another one than the drawer's.
    private func titled(_ text: String, _ currency: Currency) -> String {
        currency == report.session.currency ? text : "\(text), \(currency.code)"
    }

    private mutating func whole(_ sums: DaySums, _ currency: Currency, _ net: DayWord) {
        add(words[.sales], sums.captured, currency, count: sums.count)
        add(words[.refunds], negated(sums.refunded), currency, count: sums.refundCount)
        if sums.disputed != 0 { add(words[.disputed], negated(sums.disputed), currency) }
        add(words[net], sums.net, currency, isStrong: true)
        if sums.tips != 0 { add(words[.tips], sums.tips, currency) }
        if sums.discounts != 0 || sums.discountCount != 0 {
            add(words[.discounts], sums.discounts, currency, count: sums.discountCount)
        }
    }

    /// Puts what is left of a line's money, and below it what it is left of.
    private mutating func line(_ name: String, _ sums: DaySums, _ currency: Currency) {
        var details: [ReceiptText] = []
        func detail(_ word: DayWord, _ units: Int64) {
            guard units != 0 else { return }
            details.append(ReceiptText(verbatim: "\(words[word]): \(amount(units, currency).plain)"))
        }
        if sums.net != sums.captured {
            detail(.sales, sums.captured)
            detail(.refunds, negated(sums.refunded))
            detail(.disputed, negated(sums.disputed))
        }
        detail(.tips, sums.tips)
        detail(.discounts, sums.discounts)
        rows.append(
            Row(
                label: ReceiptText(name), middle: sums.count == 0 ? nil : ReceiptText(verbatim: "\(sums.count)"),
                value: amount(sums.net, currency), details: details, isCounted: true))
    }

    // MARK: Tables

    private mutating func put(
        _ row: DayRow, of by: DayBreakdown.Kind, _ currency: Currency, _ sums: DaySums
    ) {
        section(titled(tableTitle(by), currency))
        let name = name(of: row, in: by)
        switch by {
        case .tip: add(name, sums.tips, currency)
        case .refund: add(name, negated(sums.refunded), currency, count: sums.refundCount)
        case .network, .tax, .staff, .shop, .hour: line(name, sums, currency)
        }
    }

    private func tableTitle(_ by: DayBreakdown.Kind) -> String {
        switch by {
        case .network: words[.byNetwork]
        case .tax: words[.byTax]
        case .tip: words[.byTips]
        case .refund: words[.byReason]
        case .staff: words[.byStaff]
        case .shop: words[.byShop]
        case .hour: words.text(.byHour, "zone", report.zone ?? "")
        }
    }

    private func name(of row: DayRow, in by: DayBreakdown.Kind) -> String {
        switch row.kind {
        case .named: by == .tip ? tender(row.name) : row.words(of: by)
        case .noCard: words[.noCard]
        case .net: words[.priceWithoutTax]
        case .tips: words[.tips]
        case .other: words[.other]
        case .notKnown: words[.notKnown]
        }
    }

    private func tender(_ kind: String) -> String {
        switch kind {
        case "card": words[.card]
        case "reader": words[.reader]
        case "cash": words[.cash]
        case "wallet": words[.wallet]
        case "paypal": "PayPal"
        case "apple_pay": "Apple Pay"
        case "elsewhere": words[.elsewhere]
        case "other": words[.other]
        case "": words[.noName]
        default: kind.replacing("_", with: " ")
        }
    }

    // MARK: The drawer

    private mutating func put(_ cash: DayEntry.Cash, _ units: Int64, _ currency: Currency) {
        section(words[.drawer])
        switch cash {
        case .float: add(words[.float], units, currency)
        case .openingDifference:
            if units != 0 { add(words[.openingDifference], units, currency) }
        case .sales: add(words[.cashSales], units, currency)
        case .refunds: add(words[.cashRefunds], negated(units), currency)
        case .paidIn: add(words[.paidIn], units, currency)
        case .paidOut: add(words[.paidOut], negated(units), currency)
        case .bankDrops: add(words[.bankDrop], negated(units), currency)
        case .refundsPaid:
            if units != 0 { add(words[.cashForRefund], negated(units), currency) }
        case .expected: add(words[.expected], units, currency, isStrong: true)
        case .counted: add(words[.counted], units, currency)
        case .difference: add(words[.difference], units, currency, isStrong: true)
        case .left: add(words[.left], units, currency)
        }
    }

    private mutating func put(_ movement: CashMovement, _ currency: Currency) {
        section(words[.movements])
        let (request, isIn) = (movement.request, movement.request.kind == .paidIn)
        let kind: DayWord =
            switch request.kind {
            case .paidIn: .paidIn
            case .paidOut: .paidOut
            case .bankDrop: .bankDrop
            case .refund: .cashForRefund
            }
        var details = [ReceiptText("\(movement.by): \(request.reason)")]
        if let payment = request.payment { details.append(ReceiptText(payment.rawValue)) }
        rows.append(
            Row(
                label: ReceiptText(verbatim: words[kind]), middle: ReceiptText(verbatim: format.time(movement.at)),
                value: amount(isIn ? request.amount : negated(request.amount), currency), details: details))
    }
}
