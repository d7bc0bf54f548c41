import Testing
import TillCore
import TillJournal

@Suite("Events as text")
struct PaymentEventCodecTests {
    private static let attempt = AttemptID(rawValue: "pay_1-a1")
    private static let capture = CaptureID(rawValue: "pay_1-c1")
    private static let renewal = RenewalID(rawValue: "pay_1-h1")
    private static let refund = RefundID(rawValue: "pay_1-r1")
    private static let reference = ProviderReference(rawValue: "pi_\"1\\\u{1F4B6}")
    private static let amount = Money(minorUnits: 12_345, currency: .kwd)

    private static var card: CardSummary {
        var emv = EMVReceiptData()
        emv.applicationPreferredName = "VISA \u{e9}"
        emv.dedicatedFileName = "A0000000031010"
        emv.accountType = "credit"
        emv.authorizationResponseCode = "3030"
        emv.authorizationCode = "123456"
        emv.applicationCryptogram = "0123456789ABCDEF"
        emv.terminalVerificationResults = "8000008000"
        emv.transactionStatusInformation = "6800"
        emv.cardholderVerificationMethod = "offline_pin"
        return CardSummary(brand: "visa", lastFour: "4242", entryMode: "contact_emv", emv: emv)
    }

    static func everyEvent() throws -> [PaymentEvent] {
        let bare = Decline(reason: .generic)
        let full = Decline(
            reason: .insufficientFunds, code: "51", message: "No\nfunds", requestID: "req_1",
            card: PaymentEventCodecTests.card)
        let line = OrderLine(
            name: "Tea", quantity: "1.5", sku: "T-1", attributes: [OrderAttribute(name: "Size", value: "L")],
            subtotal: amount, total: amount, tax: .zero(.kwd))
        let order = try Order(id: OrderID(rawValue: "o-1"), number: "1001", lines: [line], total: amount)
        let operations: [OperationID] = [
            .attempt(attempt), .continuation(attempt), .void(attempt), .capture(capture), .renewal(renewal),
            .refund(refund),
        ]
        var events: [PaymentEvent] = []
        for mode in [CaptureMode.automatic, .manual] {
            let creation = PaymentEvent.Creation(
                payment: PaymentID(rawValue: "pay_1"), account: .main, order: order, captureMode: mode)
            events.append(.created(creation))
            var accepted = creation
            accepted.acceptedBy = "key 1f2e3d4c"
            events.append(.created(accepted))
            var discounted = creation
            discounted.discount = try Discount(
                Money(minorUnits: 1, currency: .kwd), reason: "&amp;amp; \u{201C}last\u{201D}", beside: order.total)
            events.append(.created(discounted))
        }
        let tenders = [
            TenderSummary(kind: .cash), TenderSummary(kind: .card, card: CardSummary(brand: "visa", lastFour: "42")),
            TenderSummary(kind: .reader, card: card, reader: "Front"), TenderSummary(kind: .cash, tendered: amount),
        ]
        events += tenders.map {
            .attemptStarted(.init(attempt: attempt, provider: .sandbox, tender: $0, amount: amount))
        }
        let account = ProviderIdentity(account: "acct_1", mode: .live, keyFingerprint: "0123456789ab")
        events += [
            .attemptStarted(
                .init(attempt: attempt, provider: .sandbox, tender: tenders[0], amount: amount, identity: account)),
            .attemptBound(attempt, account), .attemptBound(attempt, ProviderIdentity(account: nil, mode: .test)),
            .attemptPrepared(attempt, reference),
            .authorized(attempt, Authorization(reference: reference, amount: amount)),
            .authorized(
                attempt,
                Authorization(
                    reference: reference, amount: amount, isCaptured: true,
                    captureBefore: Timestamp(milliseconds: -1), card: card)),
            .actionRequired(attempt, CustomerAction(kind: "redirect_to_url", url: "https://bank.example/")),
            .actionRequired(attempt, CustomerAction(kind: "attach-card", order: "5O190127TN364715T")),
            .actionRequired(attempt, CustomerAction(kind: "use_stripe_sdk")),
            .attemptStored(
                attempt,
                StoredTap(
                    record: ProviderReference(rawValue: "off.0f.7.a1"), storedAt: Timestamp(milliseconds: 5),
                    expires: Timestamp(milliseconds: 86_400_005))),
            .continuationStarted(attempt, number: 2), .renewalStarted(renewal, attempt, amount),
            .renewed(
                renewal,
                Authorization(
                    reference: reference, amount: amount, captureBefore: Timestamp(milliseconds: 9),
                    honoredUntil: Timestamp(milliseconds: 7))),
            .attemptDeclined(attempt, bare), .attemptDeclined(attempt, full),
            .attemptNotSent(attempt, reason: "refused"), .attemptExpired(attempt),
            .voidStarted(attempt, reason: .canceled("canceled")), .voidStarted(attempt, reason: .canceled("expired")),
            .voidStarted(attempt, reason: .holdEnded), .voidStarted(attempt, reason: .abandoned),
            .voidStarted(attempt, reason: .partialApproval), .voided(attempt),
            .captureStarted(capture, attempt, amount, isFinal: true),
            .captureStarted(capture, attempt, Money(minorUnits: .max, currency: .jpy), isFinal: false),
            .captured(capture, nil), .captured(capture, reference),
            .refundStarted(refund, attempt, amount, reason: nil),
            .refundStarted(refund, attempt, amount, reason: "broken"),
            .refunded(refund, nil), .refunded(refund, reference),
            .cancelRequested(reason: ""), .canceled,
        ]
        events += afterSale(bare, full)
        for operation in operations {
            events += [
                .refused(operation, full), .refused(operation, bare),
                .deferred(operation, until: Timestamp(milliseconds: .max), reason: .notSent("no line")),
                .deferred(operation, until: Timestamp(milliseconds: .max), reason: .notDone("not voided yet")),
                .deferred(operation, until: Timestamp(milliseconds: .max), reason: .keyRejected("HTTP 401")),
            ]
        }
        let later = Timestamp(milliseconds: 1_795_000_000_123)
        for reason: UnknownReason in [
            .pending, .unclear("time-out"), .unclear("pending"), .wrongAmount(authorized: amount, asked: amount),
            .keySpent("HTTP 500"), .wrongCurrency(authorized: amount, asked: Money(minorUnits: 3500, currency: .jpy)),
        ] {
            events += [
                .outcomeUnknown(.void(attempt), nextCheck: Timestamp(milliseconds: 5), reason: reason),
                .attentionRequired(.void(attempt), .stillUnknown(checks: 4, reason)),
            ]
        }
        for attention: Attention in [
            .wrongAmount(authorized: amount, asked: amount), .partialApproval(amount), .voidedAfterCapture,
            .refused(.insufficientFunds), .refundFailed, .holdEnds(later), .honorPeriodEnds(later),
            .tapOverdue(expires: later), .refundReversed(amount), .captureReversed(amount), .unwantedCapture(amount),
            .refundedTwice(amount), .approvedLate(amount, isCaptured: true), .approvedLate(amount, isCaptured: false),
            .disputeOpened(reference, amount, respondBy: later),
            .disputeOpened(reference, amount, respondBy: nil), .disputeLost(reference, amount),
            .orderPaidAgain(PaymentID(rawValue: "pay_2")), .shopDiffers("It is cancelled there."),
            .note("call the bank"),
            .keyRejected,
            .wrongCurrency(authorized: amount, asked: Money(minorUnits: 3500, currency: .jpy)),
            .refundedMoreThanOnce(refund, amount),
            .note("Still not known after 4 looks: x"),
        ] {
            events += operations.map { .attentionRequired($0, attention) }
        }
        return events
    }

    /// What happens to a payment that was settled.
    private static func afterSale(_ bare: Decline, _ full: Decline) -> [PaymentEvent] {
        let facts = Dispute.Facts(
            reference: reference, reason: "fraudulent", stage: "needs_response", amount: amount,
            respondBy: Timestamp(milliseconds: 9))
        var silent = facts
        silent.respondBy = nil
        return [
            .refundReversed(refund, bare), .refundReversed(refund, full), .captureReversed(capture, full),
            .captureRestored(capture), .captureReported(capture, attempt, amount, .provider(reference)),
            .captureReported(capture, attempt, amount, .elsewhere),
            .refundReported(refund, attempt, amount, .provider(reference)),
            .refundReported(refund, attempt, amount, .elsewhere),
            .disputeOpened(attempt, facts), .disputeOpened(attempt, silent), .disputeUpdated(facts),
            .disputeFundsWithdrawn(reference, amount), .disputeFundsReinstated(reference, amount),
            .disputeClosed(reference, .won), .disputeClosed(reference, .lost), .disputeClosed(reference, .closed),
            .queryRequested(attempt, due: Timestamp(milliseconds: 5)), .queryAnswered(attempt),
            .attentionClosed(1, AttentionResolution(kind: .handled, evidence: "x", actor: "Ada")),
            .attentionClosed(
                2,
                AttentionResolution(
                    kind: .refundedElsewhere, amount: amount, evidence: "slip\n“4711”", actor: "Ada")),
        ]
    }

    private static let now = Timestamp(milliseconds: 1_795_000_000_123)

    @Test("every event is read back as it was written")
    func roundTrip() throws {
        let events = try Self.everyEvent()
        #expect(Set(events.map(\.name)).count == 38)
        for event in events {
            let bytes = PaymentEventCodec.encode(event)
            #expect(try PaymentEventCodec.decode(bytes, at: Self.now) == event)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.hasPrefix("{\"type\":\"\(event.name)\""))
            if case .created(let creation) = event {
                #expect(text.contains(",\"order\":\(creation.order.jsonValue.text)"))
            }
        }
    }

    @Test(
        "what is not an event is refused",
        arguments: [
            "", "[]", "{}", "{\"type\":1}", "{\"type\":\"payment.unheard_of\"}", "{\"type\":\"payment.created\"}",
            "{\"type\":\"capture.started\",\"capture\":\"c\",\"attempt\":\"a\",\"amount\":1.5,\"currency\":\"EUR\"}",
            "{\"type\":\"capture.started\",\"capture\":\"c\",\"attempt\":\"a\",\"amount\":1,\"currency\":\"XAU\"}",
            "{\"type\":\"operation.refused\",\"decline_reason\":\"fraud\"}",
        ])
    func refused(_ text: String) {
        #expect {
            try PaymentEventCodec.decode(text.utf8, at: Self.now)
        } throws: { error in
            if case .corrupted? = error as? JournalError { true } else { false }
        }
    }

    /// What journals hold that were written before the cases were: `reason` is all that says why.
    @Test("an event of an older journal means what it meant when it was written") func older() throws {
        func read(_ members: String) throws -> PaymentEvent {
            try PaymentEventCodec.decode("{\(members)}".utf8, at: Self.now)
        }
        let (void, attempt) = (OperationID.void(AttemptID(rawValue: "a")), AttemptID(rawValue: "a"))
        func unknown(_ reason: String) throws -> PaymentEvent {
            try read(#""type":"operation.unknown","void":"a","next_check":5,"reason":"\#(reason)""#)
        }
        func attention(_ reason: String) throws -> PaymentEvent {
            try read(#""type":"payment.attention_required","void":"a","reason":"\#(reason)""#)
        }
        func deferred(until: Int64) throws -> PaymentEvent {
            try read(#""type":"operation.deferred","void":"a","until":\#(until),"reason":"x""#)
        }
        func voided(_ reason: String) throws -> PaymentEvent {
            try read(#""type":"void.started","attempt":"a","reason":"\#(reason)""#)
        }
        let check = Timestamp(milliseconds: 5)
        #expect(try unknown("pending") == .outcomeUnknown(void, nextCheck: check, reason: .pending))
        #expect(try unknown("timed out") == .outcomeUnknown(void, nextCheck: check, reason: .unclear("timed out")))
        let now = Self.now.milliseconds
        #expect(try deferred(until: now) == .deferred(void, until: Self.now, reason: .notDone("x")))
        #expect(
            try deferred(until: now + 1)
                == .deferred(void, until: Timestamp(milliseconds: now + 1), reason: .notSent("x")))
        #expect(try voided("expired") == .voidStarted(attempt, reason: .holdEnded))
        #expect(try voided("duplicate") == .voidStarted(attempt, reason: .canceled("duplicate")))
        let sentences: [(String, Attention)] = [
            ("The hold ends at \(Self.now); capture it or let it go.", .holdEnds(Self.now)),
            (
                "The bank honors the hold until \(Self.now); capture it before, or renew it after that.",
                .honorPeriodEnds(Self.now)
            ),
            (
                "The card's data were stored and not forwarded by \(Self.now). The provider may refuse them: forward "
                    + "them now.", .tapOverdue(expires: Self.now)
            ),
            ("Still not known after 4 looks: pending", .stillUnknown(checks: 4, .pending)),
            ("Still not known after 12 looks: timed out", .stillUnknown(checks: 12, .unclear("timed out"))),
            ("The provider refused: fraud.", .note("The provider refused: fraud.")),
            (
                "The hold ends at noon; capture it or let it go.",
                .note("The hold ends at noon; capture it or let it go.")
            ),
        ]
        for (sentence, expected) in sentences {
            #expect(try attention(sentence) == .attentionRequired(void, expected), "\(sentence)")
        }
    }

    /// `because` was added: a journal without it is older, and what it meant then is another test's.
    @Test("an event that lacks any of its members is refused or differs")
    func truncated() throws {
        for event in try Self.everyEvent() {
            let json = try JSONValue(parsing: PaymentEventCodec.encode(event))
            for index in (json.objectValue ?? []).indices where json.objectValue?[index].key != "because" {
                var members = json.objectValue ?? []
                members.remove(at: index)
                let read = try? PaymentEventCodec.decode(JSONValue.object(members).bytes(), at: Self.now)
                #expect(read != event)
            }
        }
    }

    @Test("a customer's session is read back with its data, and without them where it is repeated")
    func sessions() throws {
        let session = try #require(CustomerSession(id: "CS1", data: "for-this-customer", endsAt: Self.now))
        for said in [session, session.withoutData] {
            let event = PaymentEvent.actionRequired(Self.attempt, CustomerAction(kind: "session", session: said))
            let bytes = PaymentEventCodec.encode(event)
            #expect(try PaymentEventCodec.decode(bytes, at: Self.now) == event)
            #expect(String(decoding: bytes, as: UTF8.self).contains("session_data") != said.data.isEmpty)
        }
    }
}
