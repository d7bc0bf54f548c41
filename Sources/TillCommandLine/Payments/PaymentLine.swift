import ArgumentParser
import TillCore
import TillCounter
import TillJournal
import TillWeb

/// A payment in command output.
enum PaymentLine {
    /// Returns the payment as the HTTP API does, plus `payment_id` and the receipt for scripts.
    static func json(_ payment: Payment, receipt: String? = nil, events: [StoredEvent]? = nil) -> String {
        let bytes = events.map { PaymentJSON.write(payment, events: $0) } ?? PaymentJSON.write(payment)
        guard case .object(var members) = JSONValue(ifValid: bytes) else { return "{}" }
        members.insert(JSONMember(key: "payment_id", value: .string(payment.id.rawValue)), at: 0)
        if let receipt { members.append(JSONMember(key: "receipt", value: .string(receipt))) }
        // The tender in one word, as scripts need it; the details are separate members.
        members = members.map { member in
            guard member.key == "tender", let kind = payment.tender?.kind.rawValue else { return member }
            return JSONMember(key: "tender", value: .string(kind))
        }
        if let card = payment.tender?.card {
            members.append(JSONMember(key: "card_brand", value: .string(card.brand)))
            members.append(JSONMember(key: "card_last_four", value: .string(card.lastFour)))
        }
        members.append(JSONMember(key: "warnings", value: .array(payment.order.notices.map { .string($0) })))
        return JSONValue.object(members).text
    }

    /// Ends the command: 0 taken or held as requested, 1 no authorization requested, 2 declined, 3 not known.
    static func exit(for payment: Payment) throws {
        switch payment.status {
        case .succeeded, .partiallyCaptured, .requiresCapture, .partiallyRefunded, .refunded, .canceled: return
        case .requiresPaymentMethod: throw ExitCode(1)
        case .declined, .expired, .captureFailed: throw ExitCode(2)
        case .stored, .unknown, .processing, .requiresAction: throw ExitCode(3)
        }
    }
}

extension Payment {
    /// `true` if the payment failed before a card was charged or declined: its receipt would be empty.
    var hasNothingToShow: Bool {
        switch (status, attempts.last?.state) {
        case (.declined, .declined(let decline)): decline.reason.isWithoutCard
        case (.requiresPaymentMethod, _): true
        default: false
        }
    }
}
