import TillCore

/// Arranges the content in the order of a receipt.
struct ReceiptLayout {
    private let receipt: ReceiptContent
    private let labels: ReceiptLabels
    private let money: MoneyWords
    private let days: LocalTime.DayOrder
    private let missing: [ReceiptField]
    private var blocks: [ReceiptDocument.Block] = []

    init(_ receipt: ReceiptContent, _ labels: ReceiptLabels) {
        self.receipt = receipt
        self.labels = labels
        money = MoneyWords.of(receipt.locale, receipt.total.currency)
        days = LocalTime.DayOrder(labels)
        missing = receipt.missingFields
        blocks.reserveCapacity(16)
    }

    mutating func make() -> [ReceiptDocument.Block] {
        markTest()
        head()
        items()
        totals()
        transaction()
        refunds()
        foot()
        return blocks
    }

    private func shown(_ amount: Money) -> ReceiptText { ReceiptText(money.text(amount)) }

    private func time(_ moment: Timestamp) -> ReceiptText {
        ReceiptText(own: LocalTime.text(moment, in: receipt.store.timeZone, as: days))
    }

    private func row(_ label: ReceiptLabel, _ value: ReceiptText) -> ReceiptDocument.Row {
        ReceiptDocument.Row(label: labels[label], value: value)
    }

    /// Marks a test receipt so that it cannot be mistaken for that of a sale, whatever follows.
    private mutating func markTest() {
        guard receipt.isTest else { return }
        blocks.append(
            .notice(ReceiptText(own: "TEST"), labels[.sentenceTest], label: labels[.result], isWarning: true))
        blocks.append(.rule)
    }

    private mutating func head() {
        let store = receipt.store
        if let logo = store.logo { blocks.append(.image(logo)) }
        if store.name.plain.isEmpty {
            blocks.append(.heading(labels[.missing]))
        } else {
            blocks.append(.heading(store.name))
        }
        blocks += store.address.map { .line($0) }
        // What the shop has not set is for the shop to read. A card's own gaps stay on every copy: they are evidence.
        if receipt.copy == .merchant {
            for field in missing where field.isOfStore && field != .storeName {
                blocks.append(.named(labels[field.label], labels[.missing], isGap: true))
            }
        }
        if let phone = store.phone { blocks.append(.named(labels[.phone], phone, isGap: false)) }
        if let taxID = store.taxID { blocks.append(.named(labels[.taxID], taxID, isGap: false)) }
        for identifier in store.identifiers {
            blocks.append(.named(identifier.name, identifier.value, isGap: false))
        }
        blocks.append(.rule)
        if receipt.copy == .merchant { blocks.append(.line(labels[.merchantCopy])) }
        if receipt.isReprint { blocks.append(.line(labels[.reprint])) }
        blocks.append(
            .notice(
                labels[receipt.verdict.label], receipt.explanation, label: labels[.result],
                isWarning: receipt.verdict.isWarning))
        blocks.append(.rule)
        var table = ReceiptDocument.Table(caption: labels[receipt.transaction.kind.label])
        table.rows = [row(.date, time(receipt.date))]
        if let number = receipt.printedOrderNumber { table.rows.append(row(.order, number)) }
        table.rows.append(row(.payment, ReceiptText(receipt.paymentID.rawValue)))
        if let original = receipt.original {
            if original.paymentID != receipt.paymentID {
                table.rows.append(row(.original, ReceiptText(original.paymentID.rawValue)))
            }
            table.rows.append(row(.originalDate, time(original.date)))
        }
        blocks.append(.table(table))
        blocks.append(.rule)
    }

    private mutating func items() {
        guard !receipt.lineItems.isEmpty else { return }
        var table = ReceiptDocument.Table(caption: labels[.items])
        table.holdsAmounts = true
        table.columns = [labels[.item], labels[.quantity], labels[.price]]
        table.rows = receipt.lineItems.prefix(ReceiptContent.maximumLines).map { item in
            ReceiptDocument.Row(
                label: item.name, middle: item.quantity, value: shown(item.amount),
                details: item.attributes.map { ReceiptText(own: "\($0.name.plain): \($0.value.plain)") },
                isCounted: true)
        }
        blocks.append(.table(table))
        blocks.append(.rule)
    }

    private mutating func totals() {
        var table = ReceiptDocument.Table(caption: labels[.total])
        table.holdsAmounts = true
        table.rows = receipt.shownSummary.map {
            ReceiptDocument.Row(label: $0.label(labels), value: shown($0.amount))
        }
        table.rows.append(
            ReceiptDocument.Row(
                label: ReceiptText(own: "\(labels[.total].plain) \(receipt.total.currency.code)"),
                value: shown(receipt.total), isStrong: true))
        for movement in receipt.movements { table.rows.append(row(movement.label, shown(movement.amount))) }
        blocks.append(.table(table))
        blocks.append(.rule)
    }

    private mutating func transaction() {
        var table = ReceiptDocument.Table(caption: labels[.payment])
        table.rows = facts().map { row($0, $1) }
        for field in missing where !field.isOfStore {
            // Brand and digits share one row, so a missing value in either is one gap.
            if field == .lastFour, missing.contains(.brand) { continue }
            table.rows.append(
                ReceiptDocument.Row(label: labels[field.label], value: labels[.missing], isGap: true))
        }
        blocks.append(.table(table))
    }

    private mutating func refunds() {
        guard !receipt.refunds.isEmpty else { return }
        var table = ReceiptDocument.Table(caption: labels[.refunds])
        table.holdsAmounts = true
        table.columns = [labels[.refund], labels[.date], labels[.amount]]
        table.rows = receipt.refunds.map { refund in
            ReceiptDocument.Row(
                label: labels[refund.label], middle: time(refund.at), value: shown(refund.amount),
                details: refund.reason.map { [$0] } ?? [])
        }
        blocks.append(.rule)
        blocks.append(.table(table))
    }

    private mutating func foot() {
        if receipt.needsSignature { blocks.append(.signature(labels[.signHere])) }
        if let fiscal = receipt.fiscal {
            blocks.append(.rule)
            blocks += fiscal.lines.map { .line($0) }
            if let code = fiscal.code { blocks.append(.code(code, caption: labels[.fiscal], isLink: false)) }
        }
        if let link = receipt.link { blocks.append(.code(link, caption: labels[.linkCaption], isLink: true)) }
        if !receipt.store.closing.isEmpty {
            blocks.append(.rule)
            blocks += receipt.store.closing.map { .line($0) }
        }
        blocks.append(.cut)
    }

    /// Returns label and value of each known transaction detail, in the order of a receipt.
    private func facts() -> [(ReceiptLabel, ReceiptText)] {
        let part = receipt.transaction
        // A declined card or a bare hold paid nothing.
        let isPayment = part.kind == .sale || part.kind == .refund
        let isTaken = isPayment && (part.outcome == .approved || part.outcome == .partial)
        let paidWith: ReceiptLabel = receipt.original != nil ? .refundedTo : isTaken ? .paidWith : .presented
        let cryptogram = part.cryptogram.map { value in
            part.cryptogramType.map { ReceiptText(verbatim: "\($0.rawValue) \(value.plain)") } ?? value
        }
        let all: [(ReceiptLabel, ReceiptText?)] = [
            (.merchantID, receipt.store.merchantID), (.terminalID, receipt.store.terminalID),
            (.transaction, labels[part.kind.label]), (.result, part.outcome.label.map { labels[$0] }),
            (paidWith, part.tenderText(labels)), (.network, part.network), (.entry, entry(part.entryMode)),
            (.application, part.applicationName), (.aid, part.aid), (.account, account(part.accountType)),
            (.authorizationCode, part.authorizationCode), (.arc, part.authorizationResponseCode),
            (.cryptogram, cryptogram), (.tvr, part.terminalVerificationResults),
            (.tsi, part.transactionStatusInformation),
            (.verification, part.verification.map { words($0.label, $0.rawValue) }),
        ]
        return all.compactMap { label, value in value.map { (label, $0) } }
    }

    private func words(_ label: ReceiptLabel?, _ code: String) -> ReceiptText {
        label.map { labels[$0] } ?? ReceiptText(code.replacing("_", with: " "))
    }

    private func entry(_ code: ReceiptText?) -> ReceiptText? {
        code.map { code in
            switch code.plain {
            case "contact_emv": labels[.chip]
            case "contactless_emv", "contactless_magstripe_mode": labels[.contactless]
            case "magnetic_stripe_track2", "magnetic_stripe_fallback": labels[.swiped]
            case "keyed": labels[.keyed]
            default: words(nil, code.plain)
            }
        }
    }

    private func account(_ code: ReceiptText?) -> ReceiptText? {
        code.map { code in
            switch code.plain {
            case "credit": labels[.accountCredit]
            case "checking": labels[.accountChecking]
            case "savings": labels[.accountSavings]
            default: words(nil, code.plain)
            }
        }
    }
}

extension ReceiptTransaction.Kind {
    fileprivate var label: ReceiptLabel {
        switch self {
        case .sale: .kindSale
        case .refund: .refund
        case .void: .kindVoid
        case .authorization: .kindAuthorization
        case .offlineStored: .kindOffline
        }
    }
}

extension ReceiptTransaction.Outcome {
    fileprivate var label: ReceiptLabel? {
        switch self {
        case .approved: .approved
        case .partial: .partial
        case .declined: .declined
        case .canceled: .canceled
        case .pending: .notKnown
        case .none: nil
        }
    }
}
