import TillCore
import TillWeb

/// The requests of the day.
enum DayRequest {
    /// The maximum length of the name of a session, in bytes: `day_`, a drawer and a number.
    private static let maximumSessionBytes = 64

    /// Returns the currency and the cash of an opening, and the reason for a difference.
    static func opening(
        _ body: JSONValue
    ) throws -> (float: DrawerSession.Tally, currency: Currency, reason: String?) {
        try body.allow(["currency", "counts", "float", "reason", "drawer"])
        guard let code = try body.text("currency", atMost: 3) else { throw Problem.field("currency", "It is missing.") }
        let currency: Currency
        do throws(MoneyError) { currency = try Currency(code: code) } catch {
            throw Problem.field("currency", "\(error)")
        }
        return (try tally(body, "float"), currency, try reason(body))
    }

    /// Returns a movement of cash.
    static func movement(_ body: JSONValue) throws -> CashMovement.Request {
        try body.allow(["kind", "amount", "reason", "payment", "session", "drawer"])
        guard let kind = try body.text("kind", atMost: 16).flatMap({ CashMovement.Kind(rawValue: $0) }) else {
            let known = CashMovement.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.field("kind", "It must be one of \(known).")
        }
        let amount = try self.amount(body["amount"], "amount")
        guard amount > 0 else { throw Problem.field("amount", "It must be above zero.", code: "invalid_amount") }
        guard let reason = try reason(body) else { throw Problem.field("reason", "It is missing.") }
        return CashMovement.Request(kind, amount: amount, reason: reason, payment: try payment(body, for: kind))
    }

    private static func payment(_ body: JSONValue, for kind: CashMovement.Kind) throws -> PaymentID? {
        guard let text = try body.text("payment", atMost: 64) else {
            guard kind != .refund else { throw Problem.field("payment", "It is missing.") }
            return nil
        }
        guard kind == .refund else { throw Problem.field("payment", "It goes with a refund only.") }
        guard let payment = PaymentID(ifValid: text) else {
            throw Problem.field("payment", "It must be the identifier of a payment.")
        }
        return payment
    }

    /// Returns the cash of a count.
    static func count(_ body: JSONValue) throws -> DrawerSession.Tally {
        try body.allow(["counts", "total", "session", "number_of_counts", "drawer"])
        return try tally(body, "total")
    }

    /// Returns what is known of the session that is to be changed.
    static func seen(_ body: JSONValue) throws -> DayBook.Seen {
        let number = body["number_of_counts"].flatMap { $0.isNull ? nil : $0 }
        let counts = try number.map { (value) throws -> Int in
            guard let known = value.int64Value, (0...Int64(DayLimits.maximumCounts)).contains(known) else {
                throw Problem.field("number_of_counts", "It must be 0 to \(DayLimits.maximumCounts).")
            }
            return Int(known)
        }
        return DayBook.Seen(session: try body.text("session", atMost: maximumSessionBytes), counts: counts)
    }

    /// Returns what stays in the drawer, `nil` for all, and the reason for a difference.
    static func close(_ body: JSONValue) throws -> (left: Int64?, reason: String?) {
        try body.allow(["left", "reason", "session", "number_of_counts", "drawer"])
        let left = body["left"].flatMap { $0.isNull ? nil : $0 }
        return (try left.map { try amount($0, "left") }, try reason(body))
    }

    /// Returns cash that is given by its pieces, or as a sum under a name.
    private static func tally(_ body: JSONValue, _ name: String) throws -> DrawerSession.Tally {
        let counts = body["counts"].flatMap { $0.isNull ? nil : $0 }
        let sum = body[name].flatMap { $0.isNull ? nil : $0 }
        guard let counts else {
            guard let sum else { throw Problem.field(name, "It is missing, and so are counts.") }
            return DrawerSession.Tally(total: try amount(sum, name))
        }
        guard sum == nil else { throw Problem.field(name, "It does not go with counts.") }
        guard let members = counts.objectValue, (1...DayLimits.maximumDenominations).contains(members.count) else {
            throw Problem.field(
                "counts", "It must be an object with 1 to \(DayLimits.maximumDenominations) denominations.")
        }
        var given: [Int64: Int64] = [:]
        for member in members {
            guard let denomination = Int64(member.key), String(denomination) == member.key,
                (1...DayLimits.maximumDenomination).contains(denomination), given[denomination] == nil,
                let pieces = member.value.int64Value, (0...DayLimits.maximumPieces).contains(pieces)
            else {
                throw Problem.field(
                    "counts/\(member.key.prefix(20))",
                    "It must be a denomination in minor units with 0 to \(DayLimits.maximumPieces) pieces.")
            }
            given[denomination] = pieces
        }
        return try tally(given)
    }

    /// Returns the cash of some pieces by denomination.
    static func tally(_ pieces: [Int64: Int64]) throws -> DrawerSession.Tally {
        // At most 64 × 10⁹ × 10⁶, which fits.
        let total = pieces.reduce(into: Int64(0)) { $0 = $0.limitedSum($1.key * $1.value) }
        guard total <= DayLimits.maximumAmount else {
            throw Problem.field("counts", "They are more than \(DayLimits.maximumAmount).", code: "invalid_amount")
        }
        return DrawerSession.Tally(total: total, pieces: pieces)
    }

    private static func amount(_ value: JSONValue?, _ name: String) throws -> Int64 {
        guard let units = value?.int64Value, (0...DayLimits.maximumAmount).contains(units) else {
            throw Problem.field(
                name, "It must be a whole number of minor units, at most \(DayLimits.maximumAmount).",
                code: "invalid_amount")
        }
        return units
    }

    private static func reason(_ body: JSONValue) throws -> String? {
        guard let text = try body.text("reason", atMost: DayLimits.maximumReasonBytes) else { return nil }
        guard text.unicodeScalars.count <= DayLimits.maximumReason else {
            throw Problem.field("reason", "It must have at most \(DayLimits.maximumReason) characters.")
        }
        let clean = DisplayText.clean(text, atMost: DayLimits.maximumReason + 1)
        return clean.isEmpty ? nil : clean
    }
}
