import Testing
import TillCore
@testable import TillAdyen

@Suite("Adyen after the sale") struct AfterSaleTests {
    /// An event as it is kept, about the payment `PSP1` unless it says otherwise.
    static func event(
        _ code: String, _ name: String, _ reference: String = "pay_1-a1", at seconds: Int64? = nil,
        units: Int64 = 1250, success: Bool = true, status: String? = nil
    ) throws -> AdyenNotification {
        let more =
            (seconds.map { #","at":\#($0 * 1000)"# } ?? "") + (status.map { #","disputeStatus":"\#($0)""# } ?? "")
        let text = """
            {"eventCode":"\(code)","pspReference":"\(name)","originalReference":"PSP1","merchantReference":"\(reference)",\
            "merchantAccountCode":"M","minor":\(units),"currency":"EUR","success":\(success)\(more)}
            """
        return try #require(AdyenNotification(kept: try JSONValue(parsing: Array(text.utf8))))
    }

    /// Every order of a list.
    static func orders<Item>(_ items: [Item]) -> [[Item]] {
        guard items.count > 1 else { return [items] }
        return items.indices.flatMap { index in
            var rest = items
            let first = rest.remove(at: index)
            return orders(rest).map { [first] + $0 }
        }
    }

    private static let eur = Currency.eur
    private static func money(_ units: Int64) -> Money { Money(minorUnits: units, currency: eur) }

    @Test(
        "a dispute goes as Adyen says, in whatever order its events come",
        arguments: [
            (["REQUEST_FOR_INFORMATION"], Int64(0), nil), (["NOTIFICATION_OF_CHARGEBACK"], 0, nil),
            (["NOTIFICATION_OF_CHARGEBACK", "CHARGEBACK"], 1250, nil),
            (["CHARGEBACK", "CHARGEBACK_REVERSED"], 0, nil),
            (["CHARGEBACK", "CHARGEBACK_REVERSED", "ISSUER_RESPONSE_TIMEFRAME_EXPIRED"], 0, Dispute.Outcome.won),
            (["CHARGEBACK", "CHARGEBACK_REVERSED", "SECOND_CHARGEBACK"], 1250, .lost),
            (["CHARGEBACK", "DISPUTE_DEFENSE_PERIOD_ENDED"], 1250, .lost),
            (["CHARGEBACK", "CHARGEBACK_REVERSED", "SCHEME_ARBITRATION", "SCHEME_ARBITRATION_LOST"], 1250, .lost),
            (["CHARGEBACK", "PREARBITRATION_OPEN", "SCHEME_ARBITRATION", "SCHEME_ARBITRATION_WON"], 0, .won),
            (["CHARGEBACK", "CHARGEBACK_REVERSED", "PREARBITRATION_OPEN", "PREARBITRATION_ACCEPTED"], 1250, .lost),
            (["CHARGEBACK", "PREARBITRATION_OPEN", "PREARBITRATION_ISSUER_WITHDRAWN"], 0, .won),
            (["NOTIFICATION_OF_CHARGEBACK", "CHARGEBACK", "CHARGEBACK_REVERSED", "PREARBITRATION_LOST"], 1250, .lost),
            (["CHARGEBACK", "CHARGEBACK_REVERSED", "PREARBITRATION_WON"], 0, .won),
        ] as [([String], Int64, Dispute.Outcome?)], [true, false])
    func dispute(_ go: (codes: [String], withdrawn: Int64, outcome: Dispute.Outcome?), isTimed: Bool) throws {
        let told = try go.codes.enumerated().map { place, code in
            try Self.event(code, "D1", at: isTimed ? Int64(place) : nil)
        }
        for order in Self.orders(told) {
            let found = ProviderSnapshot.Dispute.all(in: order + order, of: "PSP1")
            #expect(found.count == 1)
            #expect(found.first?.withdrawn == Self.money(go.withdrawn), "\(order.map(\.eventCode.rawValue))")
            #expect(found.first?.outcome == go.outcome)
        }
    }

    @Test("a chargeback that was reversed is open while Adyen says so; two disputes stay two") func pending() throws {
        let told = [
            try Self.event("CHARGEBACK", "D1", at: 1),
            try Self.event("CHARGEBACK_REVERSED", "D1", at: 2, status: "Pending"),
            try Self.event("CHARGEBACK", "D2", at: 3, units: 100),
        ]
        for order in Self.orders(told) {
            let found = ProviderSnapshot.Dispute.all(in: order, of: "PSP1")
            #expect(found.map(\.facts.reference.rawValue) == ["D1", "D2"])
            #expect(found.map(\.outcome) == [nil, nil] && found.map(\.withdrawn.minorUnits) == [0, 100])
        }
    }

    @Test("a capture that failed, and one that was collected again, in whatever order that is told")
    func captures() throws {
        let told = [
            try Self.event("CAPTURE", "C1", "pay_1-c1", at: 1),
            try Self.event("CAPTURE_FAILED", "C1", "pay_1-c1", at: 2),
            try Self.event("CAPTURE", "C2", "pay_1-c1", at: 3),
        ]
        for order in Self.orders(Array(told.prefix(2))) {
            let settled = AdyenSettled(order, atOnce: nil, currency: Self.eur)
            #expect(settled.captured.isZero && settled.failed.map(\.capture?.rawValue) == ["pay_1-c1"])
            let atOnce = AdyenSettled([told[1]], atOnce: Self.money(1250), currency: Self.eur)
            #expect(atOnce.captured.isZero && atOnce.failed.count == 1)
        }
        for order in Self.orders(told) {
            let settled = AdyenSettled(order, atOnce: nil, currency: Self.eur)
            #expect(settled.captured == Self.money(1250) && settled.failed.isEmpty)
            let atOnce = AdyenSettled(
                Array(order.filter { $0.pspReference != "C1" || $0.eventCode == .captureFailed }),
                atOnce: Self.money(1250), currency: Self.eur)
            #expect(atOnce.captured == Self.money(1250) && atOnce.failed.isEmpty)
        }
    }

    @Test("refunds in the Customer Area have the payment's own name: one that fails is that one, and no other")
    func refunds() throws {
        let told = [
            try Self.event("REFUND", "R1", "pay_1-a1", units: 100),
            try Self.event("REFUND", "R2", "pay_1-a1", units: 200),
            try Self.event("REFUND", "R3", "pay_1-r1", units: 300),
            try Self.event("REFUND_FAILED", "R2", "pay_1-a1", units: 200),
            try Self.event("REFUNDED_REVERSED", "X", "pay_1-r1", units: 300),
        ]
        for order in Self.orders(told) {
            let refunds = AdyenSettled(order, atOnce: Self.money(1250), currency: Self.eur).refunds
            let standing = Dictionary(uniqueKeysWithValues: refunds.map { ($0.reference.rawValue, $0.status) })
            #expect(standing["R1"] == .succeeded)
            #expect(standing["R2"] != .succeeded && standing["R3"] != .succeeded)
        }
    }

    @Test(
        "what may be news after the sale",
        arguments: [
            ("CHARGEBACK", "pay_1-a1", true), ("REQUEST_FOR_INFORMATION", "pay_1-a1", true),
            ("CAPTURE_FAILED", "pay_1-c1", true), ("REFUND_FAILED", "pay_1-r1", true),
            ("REFUNDED_REVERSED", "pay_1-r1", true), ("REFUND", "pay_1-a1", true), ("CAPTURE", "pay_1-a1", true),
            ("REFUND", "pay_1-r1", false), ("CAPTURE", "pay_1-c1", false), ("AUTHORISATION", "pay_1-a1", false),
            ("REPORT_AVAILABLE", "", false), ("EXPIRE", "pay_1-a1", true), ("CANCEL_OR_REFUND", "pay_1-a1", true),
            ("CANCEL_OR_REFUND", "void-pay_1-a1", false), ("CANCELLATION", "void-pay_1-a1", false),
            ("SCHEME_ARBITRATION_LOST", "pay_1-a1", true), ("ORDER_CLOSED", "pay_1-a1", false),
        ])
    func news(code: String, reference: String, isNews: Bool) throws {
        #expect(try Self.event(code, "X", reference).isAfterSale == isNews)
    }

    @Test("what is kept of an event reads back as it was, with its time and its deadline") func kept() throws {
        let event = try Self.event("CHARGEBACK", "D1", at: 5, status: "Undefended")
        #expect(event.at == Timestamp(milliseconds: 5000) && event.dispute?.status == "Undefended")
        #expect(AdyenNotification(kept: event.kept) == event)
    }
}
