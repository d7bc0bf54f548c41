import Synchronization
import TillCore
import TillSandbox

/// Stripe's balance transactions and payouts, generated from the stand-in's ledger, with planted faults.
///
/// `POST /_sandbox/statements` takes `{"do":"payout"}`, which pays out the whole balance (`"remainder":50` makes the
/// payout differ from its rows by that amount); `{"do":"omit","id":"txn_…"}`,
/// `{"do":"amount","id":"txn_…","amount":1}`, which omit a line or change its amount;
/// `{"do":"foreign","amount":1,"currency":"EUR"}`, a charge that belongs to no payment;
/// `{"do":"type","id":"txn_…","type":"x"}`, an unknown type; `{"do":"fee","amount":30}`, a standalone fee;
/// `{"do":"settle","currency":"USD","per_mille":1100}`, settlement in another currency. Amounts are minor units. All of
/// it is kept in memory only. Pending refunds have no line until they are paid.
final class SandboxStripeStatements: Sendable {
    struct Row: Hashable {
        var id: String
        var type: String
        var source: String
        /// Minor units of the settlement currency; positive amounts credit the shop.
        var amount: Int64
        var fee: Int64
        var currency: String
        var at: Int64
        /// The source object, as rendered by the API.
        var object: JSONValue
    }

    /// The largest amount that a request may invent, in minor units.
    static let maximumAmount: Int64 = 1_000_000_000_000

    private struct State {
        var omitted: Set<String> = []
        var amounts: [String: Int64] = [:]
        var types: [String: String] = [:]
        var more: [Row] = []
        /// The payout of each transaction.
        var payouts: [String: String] = [:]
        var settlesIn: (currency: String, perMille: Int64)?
        var number = 0
    }

    private let state = Mutex(State())

    /// Returns Stripe's fee for a charge in this stand-in: 1.4 % plus 25 minor units, rounded down.
    static func fee(of amount: Int64) -> Int64 { amount / 1_000 * 14 + amount % 1_000 * 14 / 1_000 + 25 }

    /// Converts an amount, truncated; saturates at the limits of `Int64`.
    private static func exchanged(_ units: Int64, _ perMille: Int64) -> Int64 {
        Int64(clamping: Int128(units) * Int128(perMille) / 1_000)
    }

    /// Returns all balance transactions, newest first.
    func transactions(of ledger: SandboxLedger, _ rendering: StripeRendering) async throws -> [JSONValue] {
        try await rows(of: ledger, rendering).reversed().map { render($0) }
    }

    private func rows(of ledger: SandboxLedger, _ rendering: StripeRendering) async throws -> [Row] {
        var rows: [Row] = []
        for charge in try await ledger.charges() { rows += SandboxStripeStatements.rows(of: charge, rendering) }
        return state.withLock { state in
            rows = rows.filter { !state.omitted.contains($0.id) }.map { row in
                var row = row
                if let amount = state.amounts[row.id] { row.amount = amount }
                if let type = state.types[row.id] { row.type = type }
                if let other = state.settlesIn, other.currency != row.currency {
                    row.amount = SandboxStripeStatements.exchanged(row.amount, other.perMille)
                    row.fee = SandboxStripeStatements.exchanged(row.fee, other.perMille)
                    row.currency = other.currency
                }
                return row
            }
            return (rows + state.more).sorted { ($0.at, $0.id) < ($1.at, $1.id) }
        }
    }

    private static func rows(of charge: SandboxCharge, _ rendering: StripeRendering) -> [Row] {
        let name = StripeRendering.transactionName(charge)
        let object = rendering.charge(charge)
        let source = object["id"]?.stringValue ?? ""
        var rows: [Row] = []
        for (number, capture) in charge.captures.enumerated() {
            rows.append(
                Row(
                    id: "\(name)c\(number + 1)", type: "charge", source: source, amount: capture.amount,
                    fee: fee(of: capture.amount), currency: charge.currency, at: capture.at ?? charge.createdAt,
                    object: object))
            for (move, moved) in (capture.moves ?? []).enumerated() {
                rows.append(
                    Row(
                        id: "\(name)c\(number + 1)m\(move + 1)", type: moved.amount < 0 ? "charge_failure" : "charge",
                        source: source, amount: moved.amount, fee: 0, currency: charge.currency, at: moved.at,
                        object: object))
            }
        }
        for (number, refund) in charge.refunds.enumerated() {
            guard let paidAt = refund.paidAt else { continue }
            let object = rendering.refund(refund, of: charge)
            rows.append(
                Row(
                    id: "\(name)r\(number + 1)", type: "refund", source: refund.reference, amount: -refund.amount,
                    fee: 0, currency: charge.currency, at: paidAt, object: object))
            if let returnedAt = refund.returnedAt {
                rows.append(
                    Row(
                        id: "\(name)f\(number + 1)", type: "refund_failure", source: refund.reference,
                        amount: refund.amount, fee: 0, currency: charge.currency, at: returnedAt, object: object))
            }
        }
        for (number, dispute) in (charge.disputes ?? []).enumerated() {
            for (move, moved) in (dispute.moves ?? []).enumerated() {
                rows.append(
                    Row(
                        id: "\(name)d\(number + 1)m\(move + 1)",
                        type: moved.amount < 0 ? "dispute" : "dispute_reversal", source: dispute.reference,
                        amount: moved.amount, fee: 0, currency: charge.currency, at: moved.at,
                        object: rendering.dispute(dispute, of: charge)))
            }
        }
        return rows
    }

    private func render(_ row: Row) -> JSONValue {
        let currency = Currency(ifValid: row.currency)
        func wire(_ units: Int64) -> JSONValue {
            .int(currency.flatMap { StripeWireAmount.wire(units, $0) } ?? units)
        }
        let type =
            switch row.type {
            case "dispute", "dispute_reversal": "adjustment"
            case "charge_failure": "payment_failure_refund"
            default: row.type
            }
        return .fields([
            "id": .string(row.id), "object": .string("balance_transaction"), "amount": wire(row.amount),
            "available_on": .int(row.at / 1_000), "created": .int(row.at / 1_000),
            "currency": .string(row.currency.lowercased()), "description": .null, "exchange_rate": .null,
            "fee": wire(row.fee),
            "fee_details": .array(
                row.fee == 0
                    ? []
                    : [
                        .fields([
                            "amount": wire(row.fee), "currency": .string(row.currency.lowercased()),
                            "type": .string("stripe_fee"),
                        ])
                    ]),
            "net": wire(row.amount - row.fee), "reporting_category": .string(row.type), "source": row.object,
            "status": .string("available"), "type": .string(type),
        ])
    }

    /// Returns the transactions that match a request. The source is expanded only on request.
    func matching(_ all: [JSONValue], _ form: StripeForm) throws -> [JSONValue] {
        let from = form["created[gte]"].flatMap { Int64($0) } ?? .min
        let to = form["created[lte]"].flatMap { Int64($0) } ?? .max
        let payouts = state.withLock { $0.payouts }
        return all.filter { item in
            let created = item["created"]?.int64Value ?? 0
            let id = item["id"]?.stringValue ?? ""
            return created >= from && created <= to && (form["type"].map { $0 == item["type"]?.stringValue } ?? true)
                && (form["payout"].map { $0 == payouts[id] } ?? true)
                && (form["source"].map { $0 == item["source"]?["id"]?.stringValue } ?? true)
        }
        .map { item in
            guard !form.expands("source"), case .object(let members) = item else { return item }
            return .object(
                members.map {
                    $0.key == "source" ? JSONMember(key: "source", value: $0.value["id"] ?? $0.value) : $0
                })
        }
    }

    /// Returns all payouts, newest first.
    func payoutObjects() -> [JSONValue] {
        state.withLock { $0.more }.filter { $0.type == "payout" }.reversed().map(\.object)
    }

    /// Applies one action; returns `false` if the request is malformed.
    func play(_ json: JSONValue, rows: [Row], at now: Timestamp) -> Bool {
        func units(_ member: String) -> Int64? {
            json[member]?.int64Value.flatMap { $0.magnitude <= SandboxStripeStatements.maximumAmount ? $0 : nil }
        }
        let (id, amount) = (json["id"]?.stringValue ?? "", units("amount"))
        return state.withLock { state in
            state.number += 1
            switch json["do"]?.stringValue {
            case "omit": state.omitted.insert(id)
            case "amount":
                guard let amount else { return false }
                state.amounts[id] = amount
            case "type":
                guard let type = json["type"]?.stringValue else { return false }
                state.types[id] = type
            case "foreign", "fee":
                guard let amount else { return false }
                let isFee = json["do"]?.stringValue == "fee"
                let name = "\(isFee ? "fee" : "ch")_other\(state.number)"
                state.more.append(
                    Row(
                        id: "txn_other\(state.number)", type: isFee ? "fee" : "charge", source: name,
                        amount: isFee ? -amount : amount, fee: 0, currency: json["currency"]?.stringValue ?? "EUR",
                        at: now.milliseconds, object: .fields(["id": .string(name)])))
            case "settle":
                guard let currency = json["currency"]?.stringValue, let rate = json["per_mille"]?.int64Value,
                    (1...100_000).contains(rate)
                else { return false }
                state.settlesIn = (currency, rate)
            case "payout": pay(out: rows, units("remainder") ?? 0, &state, at: now)
            default: return false
            }
            return true
        }
    }

    /// Creates one payout per currency over everything not paid out yet.
    private func pay(out rows: [Row], _ remainder: Int64, _ state: inout State, at now: Timestamp) {
        let open = rows.filter { state.payouts[$0.id] == nil && $0.type != "payout" }
        for (currency, rows) in Dictionary(grouping: open, by: \.currency).sorted(by: { $0.key < $1.key }) {
            state.number += 1
            let (name, line) = ("po_\(state.number)", "txn_po\(state.number)")
            let sum = rows.reduce(0) { $0 &+ $1.amount &- $1.fee } &+ remainder
            let known = Currency(ifValid: currency)
            let object = JSONValue.fields([
                "id": .string(name), "object": .string("payout"),
                "amount": .int(known.flatMap { StripeWireAmount.wire(sum, $0) } ?? sum),
                "arrival_date": .int(now.milliseconds / 1_000), "automatic": .bool(true),
                "balance_transaction": .string(line), "created": .int(now.milliseconds / 1_000),
                "currency": .string(currency.lowercased()), "livemode": .bool(false),
                "reconciliation_status": .string("completed"), "status": .string("paid"),
                "type": .string("bank_account"),
            ])
            state.more.append(
                Row(
                    id: line, type: "payout", source: name, amount: -sum, fee: 0, currency: currency,
                    at: now.milliseconds, object: object))
            for row in rows { state.payouts[row.id] = name }
            state.payouts[line] = name
        }
    }

    /// Returns every row of the balance, for ``SandboxStripe/playStatement(_:)``.
    func allRows(of ledger: SandboxLedger, _ rendering: StripeRendering) async throws -> [Row] {
        try await rows(of: ledger, rendering)
    }
}

extension SandboxStripe {
    /// Handles `POST /_sandbox/statements`; see ``SandboxStripeStatements``.
    func playStatement(_ json: JSONValue) async throws -> StripeAnswer {
        let rows = try await statements.allRows(of: ledger, StripeRendering(now: now))
        guard statements.play(json, rows: rows, at: now) else {
            return .invalid("do", "Wanted: payout, omit, amount, type, foreign, fee or settle, with what it needs.")
        }
        return StripeAnswer(.fields(["ok": .bool(true)]))
    }
}
