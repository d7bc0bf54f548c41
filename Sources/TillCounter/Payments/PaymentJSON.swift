package import TillCheckout
public import TillCore
public import TillJournal

/// The JSON form of a payment: in the counter's responses, in the command's `--json`, in events. Amounts are integers
/// in minor units of `currency`.
public enum PaymentJSON {
    /// Encodes one payment, for whoever confirms it or asks for it: with the session that its customer needs.
    public static func write(_ payment: Payment) -> [UInt8] {
        // A payment without an attempt takes some 650 bytes, one that is paid 1,100 or more.
        var writer = JSONWriter(reserving: payment.attempts.isEmpty ? 1_024 : 2_048)
        writer.beginObject()
        members(of: payment, into: &writer, withSession: true)
        writer.endObject()
        return writer.bytes
    }

    /// Writes a payment of a list; an unreadable one is written with its readable parts and a message.
    package static func write(_ listed: ListedPayment, into writer: inout JSONWriter) {
        switch listed {
        case .payment(let payment): write(payment, into: &writer)
        case .unreadable(let row):
            writer.beginObject()
            writer.field("id", row.id.rawValue)
            writer.field("account", row.account.rawValue)
            writer.field("order_id", row.order.rawValue)
            writer.field("order_number", row.orderNumber)
            writer.field("unreadable", true)
            writer.key("amount")
            if let amount = row.amount { writer.int(amount.minorUnits) } else { writer.null() }
            writer.field("currency", row.amount?.currency.code)
            writer.field("created_at", row.createdAt.description)
            writer.field("updated_at", row.updatedAt.description)
            writer.field("message", message(of: row))
            writer.endObject()
        }
    }

    /// The instruction for an unreadable payment.
    public static let unreadable =
        "Its events cannot be read. Look it up at the provider; till journal verify says what is wrong. Do not charge "
        + "it again."

    /// The instruction for a payment with an unreadable list row.
    public static let unreadableRow =
        "The line that lists it cannot be read; the payment itself may be: show it by its id. till journal verify says "
        + "what is wrong. Do not charge it again before that."

    /// Returns the instruction for a partly unreadable payment.
    public static func message(of row: UnreadableRow) -> String {
        switch row.part {
        case .events: unreadable
        case .row: unreadableRow
        }
    }

    /// Writes the payment as one value.
    public static func write(_ payment: Payment, into writer: inout JSONWriter) {
        writer.beginObject()
        members(of: payment, into: &writer)
        writer.endObject()
    }

    /// Writes the members without the braces, so that others can be added.
    /// - Parameter withSession: `true` for the answer about one payment; a list has no customer's session.
    package static func members(of payment: Payment, into writer: inout JSONWriter, withSession: Bool = false) {
        writer.field("id", payment.id.rawValue)
        writer.field("account", payment.account.rawValue)
        writer.field("order_id", payment.order.id.rawValue)
        writer.field("order_number", payment.order.number)
        if let part = payment.order.part {
            writer.key("part")
            writer.beginObject()
            writer.field("order_id", part.order.rawValue)
            writer.field("number", Int64(part.number))
            writer.endObject()
        }
        writer.field("description", payment.order.description)
        if !payment.order.metadata.isEmpty {
            writer.key("metadata")
            writer.metadata(payment.order.metadata)
        }
        writer.field("status", payment.status.rawValue)
        writer.field("test", payment.isTest)
        writer.field("amount", payment.amount.minorUnits)
        writer.field("currency", payment.currency.code)
        if let discount = payment.discount {
            writer.key("discount")
            writer.beginObject()
            writer.field("amount", discount.amount.minorUnits)
            writer.field("reason", discount.reason)
            writer.endObject()
        }
        writer.field("tip", payment.tip?.minorUnits ?? 0)
        writer.field("authorized", payment.authorizedMinorUnits)
        writer.field("captured", payment.captured.minorUnits)
        writer.field("refunded", payment.refunded.minorUnits)
        writer.field("held", payment.held.minorUnits)
        writer.field("released", payment.released.minorUnits)
        writer.field("disputed", payment.disputed.minorUnits)
        writer.field("net", payment.net.minorUnits)
        writer.field("refund_due", payment.refundDue.minorUnits)
        writer.field("capture", payment.captureMode.rawValue)
        if let who = payment.acceptedBy, let standing = payment.order.standing {
            writer.key("accepted_paid_order")
            writer.beginObject()
            writer.field("shop_says", standing.clause)
            writer.field("by", who)
            writer.endObject()
        }
        writer.field("provider", payment.provider?.rawValue)
        writer.key("tender")
        let drawer = (payment.currentAttempt ?? payment.attempts.last)?.drawer
        tender(payment.tender, change: payment.change, drawer: drawer, into: &writer)
        writer.key("attempts")
        writer.beginArray()
        for attempt in payment.attempts { write(attempt, into: &writer, withSession: withSession) }
        writer.endArray()
        operations(of: payment, into: &writer)
        writer.field("money_moved", payment.moneyMoved.rawValue)
        writer.field("message", message(of: payment))
        writer.key("needs_attention")
        writer.beginArray()
        for item in payment.openAttention { writer.string(item.attention.sentence) }
        writer.endArray()
        writer.field("receipt_url", "/v1/payments/\(payment.id)/receipt")
        let created = payment.createdAt.description
        writer.field("created_at", created)
        writer.field("updated_at", payment.updatedAt == payment.createdAt ? created : payment.updatedAt.description)
    }

    private static func operations(of payment: Payment, into writer: inout JSONWriter) {
        writer.key("captures")
        writer.beginArray()
        for capture in payment.captures {
            writer.beginObject()
            writer.field("id", capture.id.rawValue)
            writer.field("amount", capture.amount.minorUnits)
            writer.field("status", word(for: capture.state))
            writer.field("final", capture.isFinal)
            writer.field("origin", word(for: capture.origin))
            writer.endObject()
        }
        writer.endArray()
        writer.key("refunds")
        writer.beginArray()
        for refund in payment.refunds {
            writer.beginObject()
            writer.field("id", refund.id.rawValue)
            writer.field("amount", refund.amount.minorUnits)
            writer.field("status", word(for: refund.state))
            writer.field("reason", refund.reason)
            writer.field("message", message(of: refund))
            writer.field("origin", word(for: refund.origin))
            if let drawer = refund.drawer { writer.field("drawer", drawer.rawValue) }
            writer.endObject()
        }
        writer.endArray()
        writer.key("disputes")
        writer.beginArray()
        for dispute in payment.disputes { write(dispute, into: &writer) }
        writer.endArray()
    }

    private static func write(_ dispute: Dispute, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("reference", dispute.facts.reference.rawValue)
        writer.field("reason", dispute.facts.reason)
        writer.field("stage", dispute.facts.stage)
        writer.field("status", dispute.outcome?.word ?? "open")
        writer.field("amount", dispute.facts.amount.minorUnits)
        writer.field("currency", dispute.facts.amount.currency.code)
        writer.field("withdrawn", dispute.withdrawn.minorUnits)
        writer.field("respond_by", dispute.facts.respondBy?.description)
        writer.field("opened_at", dispute.openedAt.description)
        writer.endObject()
    }

    private static func word(for origin: OperationOrigin) -> String {
        switch origin {
        case .till: "till"
        case .provider: "provider"
        case .elsewhere: "elsewhere"
        }
    }

    private static func write(_ attempt: Attempt, into writer: inout JSONWriter, withSession: Bool) {
        writer.beginObject()
        writer.field("id", attempt.id.rawValue)
        writer.field("provider", attempt.provider.rawValue)
        writer.field("provider_account", attempt.identity?.account)
        writer.field("mode", attempt.identity?.mode.rawValue)
        writer.field("status", word(for: attempt.state))
        writer.field("amount", attempt.amount.minorUnits)
        writer.field("reference", attempt.reference?.rawValue)
        // While it is open, the hold may be gone at any moment.
        writer.field("void", attempt.void.flatMap { $0.state.isOpen ? word(for: $0.state) : nil })
        writer.key("decline")
        if case .declined(let decline) = attempt.state {
            write(decline, into: &writer)
        } else {
            writer.null()
        }
        writer.key("action")
        if case .requiresAction(let action) = attempt.state {
            writer.beginObject()
            writer.field("kind", action.kind)
            writer.field("url", action.url)
            if let order = action.order { writer.field("order_id", order) }
            // A session is for its customer only while it may be paid.
            let isPayable = withSession && !action.isFinished
            if let session = action.session, isPayable, attempt.void?.state.isOpen != true {
                writer.key("session")
                writer.beginObject()
                writer.field("id", session.id)
                writer.field("data", session.data)
                writer.field("ends_at", session.endsAt.description)
                writer.endObject()
            }
            writer.endObject()
        } else {
            writer.null()
        }
        writer.endObject()
    }

    package static func write(_ decline: Decline, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("reason", decline.reason.rawValue)
        writer.field("code", decline.code)
        writer.field("message_for_customer", decline.reason.customerSentence)
        writer.field("request_id", decline.requestID)
        writer.endObject()
    }

    private static func tender(
        _ tender: TenderSummary?, change: Money?, drawer: DrawerName?, into writer: inout JSONWriter
    ) {
        guard let tender else { return writer.null() }
        writer.beginObject()
        writer.field("type", tender.kind.rawValue)
        writer.field("brand", tender.card?.brand)
        writer.field("network", tender.card?.network)
        writer.field("last_four", tender.card?.lastFour)
        writer.field("entry_mode", tender.card?.entryMode)
        writer.field("reader", tender.reader)
        if let tendered = tender.tendered { writer.field("tendered", tendered.minorUnits) }
        if let change { writer.field("change", change.minorUnits) }
        if let drawer { writer.field("drawer", drawer.rawValue) }
        writer.endObject()
    }

    package static func word(for state: Attempt.State) -> String {
        switch state {
        case .inFlight: "in_flight"
        case .requiresAction: "requires_action"
        case .stored: "stored"
        case .unknown: "unknown"
        case .authorized: "authorized"
        case .declined: "declined"
        case .notSent: "not_sent"
        case .voided: "voided"
        case .expired: "expired"
        }
    }

    /// Returns an operation's state as one word.
    public static func word(for state: OperationState) -> String {
        switch state {
        case .inFlight: "in_flight"
        case .deferred: "deferred"
        case .unknown: "unknown"
        case .succeeded: "succeeded"
        case .refused: "refused"
        case .reversed: "failed"
        }
    }

    /// Returns a status message for the cashier.
    public static func message(of payment: Payment) -> String {
        switch payment.status {
        case .requiresPaymentMethod:
            if case .notSent = payment.attempts.last?.state {
                return "The provider could not be reached. No money moved. Try again."
            }
            if case .voided = payment.attempts.last?.state {
                return "The payment was canceled. No money moved. Try again."
            }
            return "Ready for payment. No money moved."
        case .declined:
            if case .declined(let decline) = payment.attempts.last?.state {
                return [decline.reason.customerSentence, decline.reason.nextStep].compactMap { $0 }
                    .joined(separator: " ")
            }
            return "The payment was declined. Nothing was charged."
        case .requiresAction:
            return "The customer must do something first, such as confirm at the bank. No money moved yet."
        case .stored:
            return "Stored, not paid: the card was read offline and nothing is authorized. Do not take another payment."
        case .processing: return "The provider is being asked. Wait for its answer; do not charge again."
        case .unknown:
            return "It is not known yet whether money moved. It is being checked. Do not take another payment."
        case .requiresCapture where payment.currentAttempt?.void?.state.isOpen == true:
            return "The hold is being released. Wait for the provider's answer."
        case .requiresCapture: return "The money is held. Capture it to charge the customer."
        case .partiallyCaptured:
            guard payment.currentAttempt?.void?.state.isOpen != true else {
                return "\(payment.captured) of the hold was captured; the rest is being released."
            }
            return "\(payment.captured) of the held money was captured."
        case .succeeded where payment.released.isPositive:
            return "Paid: \(payment.captured). The other \(payment.released) that was held was released."
        case .succeeded: return "Paid: \(payment.captured)."
        case .partiallyRefunded:
            return "\(payment.refunded) of \(payment.captured) was refunded." + stillHeld(payment)
        case .refunded: return "Fully refunded: \(payment.refunded)." + stillHeld(payment)
        case .canceled: return "Canceled. No money moved."
        case .expired: return "The hold expired. No money moved."
        case .captureFailed where payment.currentAttempt?.void?.state.isOpen == true:
            return "What was captured failed afterwards, and the payment is being canceled. "
                + "Wait for the provider's answer."
        case .captureFailed:
            return "What was captured failed afterwards: the shop does not have the money. "
                + "Cancel the payment, then charge the order again."
        }
    }

    private static func stillHeld(_ payment: Payment) -> String {
        payment.held.isPositive ? " Another \(payment.held) is still held." : ""
    }

    /// Returns the reason for a refused or failed refund and the next step; `nil` for others.
    public static func message(of refund: Refund) -> String? {
        switch refund.state {
        case .refused(let decline): decline.reason.refundSentence
        case .reversed(_, let decline):
            "This refund had succeeded and has failed since"
                + (decline.code.map { " (\($0))" } ?? "") + ". The shop has the money: refund it again."
        case .inFlight, .deferred, .unknown, .succeeded: nil
        }
    }
}
