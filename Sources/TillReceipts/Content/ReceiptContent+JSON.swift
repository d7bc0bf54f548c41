import Foundation
public import TillCore

extension ReceiptContent {
    /// The receipt as JSON. Amounts are integers in minor units of `currency`; unknown values are `null`.
    public var jsonValue: JSONValue {
        .object(said + (isTest ? [JSONMember(key: "test", value: .bool(true))] : []))
    }

    private var said: [JSONMember] {
        members([
            ("payment_id", .string(paymentID.rawValue)),
            ("order_number", .string(orderNumber.plain)),
            ("created_at", .string(date.description)),
            ("local_time", .string(LocalTime.iso(date, in: store.timeZone))),
            ("copy", .string(copy.rawValue)), ("reprint", .bool(isReprint)),
            ("time_zone", .string(store.timeZone.identifier)),
            ("locale", .string(locale.identifier)),
            (
                "store",
                .object(
                    members([
                        ("name", .string(store.name.plain)),
                        ("address", .array(store.address.map { .string($0.plain) })),
                        ("tax_id", text(store.taxID)), ("phone", text(store.phone)),
                        ("merchant_id", text(store.merchantID)), ("terminal_id", text(store.terminalID)),
                    ]))
            ),
            ("verdict", .string(verdict.rawValue)),
            ("headline", .string(verdict.headline)),
            ("explanation", text(explanation)),
            ("currency", .string(total.currency.code)),
            ("lines", .array(lineItems.map { line($0) })),
            ("summary", .array(summary.map { row($0) })),
            ("total", amount(total)),
            ("captured", amount(captured)),
            ("refunded", amount(refunded)), ("disputed", amount(disputed)),
            ("refunds", .array(refunds.map { refund($0) })),
            ("transaction", transactionValue),
            ("original", original.map { self.original($0) } ?? .null),
            ("missing", .array(missingFields.map { .string($0.rawValue) })),
            ("fiscal", .array((fiscal?.lines ?? []).map { .string($0.plain) })),
            ("fiscal_code", fiscal?.code.map { .string($0.text) } ?? .null),
            ("link", link.map { .string($0.text) } ?? .null),
        ])
    }

    private func members(_ pairs: [(String, JSONValue)]) -> [JSONMember] {
        pairs.map { JSONMember(key: $0.0, value: $0.1) }
    }

    private func text(_ text: ReceiptText?) -> JSONValue { text.map { .string($0.plain) } ?? .null }

    private func amount(_ money: Money) -> JSONValue { .number(String(money.minorUnits)) }

    private func line(_ line: ReceiptLineItem) -> JSONValue {
        .object(
            members([
                ("name", .string(line.name.plain)), ("quantity", .string(line.quantity.plain)),
                ("sku", text(line.sku)),
                (
                    "attributes",
                    .array(
                        line.attributes.map {
                            .object(members([("name", .string($0.name.plain)), ("value", .string($0.value.plain))]))
                        })
                ),
                ("amount", amount(line.amount)),
            ]))
    }

    private func row(_ row: ReceiptSummaryRow) -> JSONValue {
        .object(
            members([
                ("kind", .string(row.kind.rawValue)), ("label", .string(row.label.plain)),
                ("amount", amount(row.amount)),
            ]))
    }

    private func original(_ sale: Original) -> JSONValue {
        .object(
            members([
                ("payment_id", .string(sale.paymentID.rawValue)), ("created_at", .string(sale.date.description)),
            ]))
    }

    private func refund(_ refund: Refund) -> JSONValue {
        .object(
            members([
                ("id", .string(refund.id.rawValue)), ("amount", amount(refund.amount)),
                ("status", .string(refund.standing.rawValue)), ("reason", text(refund.reason)),
                ("created_at", .string(refund.at.description)),
            ]))
    }

    private var transactionValue: JSONValue {
        let part = transaction
        return .object(
            members([
                ("type", .string(part.kind.rawValue)), ("outcome", .string(part.outcome.rawValue)),
                ("tender", part.tender.map { .string($0.rawValue) } ?? .null), ("brand", text(part.brand)),
                ("network", text(part.network)),
                ("last_four", part.lastFour.map { .string($0.digits) } ?? .null), ("entry_mode", text(part.entryMode)),
                ("reader", text(part.reader)), ("application_name", text(part.applicationName)),
                ("aid", text(part.aid)), ("account_type", text(part.accountType)),
                ("authorization_code", text(part.authorizationCode)),
                ("authorization_response_code", text(part.authorizationResponseCode)),
                ("cryptogram", text(part.cryptogram)),
                ("cryptogram_type", part.cryptogramType.map { .string($0.rawValue) } ?? .null),
                ("tvr", text(part.terminalVerificationResults)),
                ("tsi", text(part.transactionStatusInformation)),
                ("cvm", part.verification.map { .string($0.rawValue) } ?? .null),
                ("approved_amount", part.approvedAmount.map { amount($0) } ?? .null),
            ]))
    }
}
