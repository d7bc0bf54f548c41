import Testing
import TillCore
@testable import TillAdyen

@Suite("Adyen's events") struct AdyenEventTableTests {
    /// The paths of Adyen's interface description of webhooks, version 1.
    private static let documented = """
        ACH_NOTIFICATION_OF_CHANGE AUTHORISATION AUTHORISATION_ADJUSTMENT AUTORESCUE CANCELLATION CANCEL_AUTORESCUE \
        CANCEL_OR_REFUND CAPTURE CAPTURE_FAILED CHARGEBACK CHARGEBACK_REVERSED \
        DIRECT_DEBIT_NOTICE_OF_CHANGE_NOTIFICATION DISPUTE_DEFENSE_PERIOD_ENDED EXPIRE INFORMATION_SUPPLIED ISSUER_COMMENTS ISSUER_RESPONSE_TIMEFRAME_EXPIRED \
        MANUAL_REVIEW_ACCEPT MANUAL_REVIEW_REJECT NOTIFICATION_OF_CHARGEBACK NOTIFICATION_OF_FRAUD OFFER_CLOSED \
        ORDER_CLOSED ORDER_OPENED PAIDOUT_REVERSED PAYOUT_DECLINE PAYOUT_EXPIRE PAYOUT_THIRDPARTY POSTPONED_REFUND \
        PREARBITRATION_ACCEPTED PREARBITRATION_DECLINED PREARBITRATION_ISSUER_WITHDRAWN PREARBITRATION_LOST \
        PREARBITRATION_OPEN PREARBITRATION_WON RECURRING_CONTRACT REFUND REFUNDED_REVERSED REFUND_FAILED \
        REFUND_WITH_DATA REPORT_AVAILABLE REQUEST_FOR_INFORMATION SCHEME_ARBITRATION SCHEME_ARBITRATION_LOST \
        SCHEME_ARBITRATION_WON SECOND_CHARGEBACK TECHNICAL_CANCEL VOID_PENDING_REFUND
        """

    @Test("are all in the table, and nothing else is") func whole() {
        let documented = Set(Self.documented.split(separator: " ").map { String($0) })
        #expect(Set(AdyenEventTable.rows.keys) == documented)
        #expect(AdyenEventCode(rawValue: "OF_TOMORROW").effect == .kept)
    }

    private static let price = Money(minorUnits: 1250, currency: .eur)

    private func snapshot(_ events: [AdyenNotification], atOnce: Bool) throws -> ProviderSnapshot {
        .adyen(
            Authorization(reference: try ProviderReference(validating: "PSP1"), amount: Self.price, isCaptured: atOnce),
            "PSP1", events, isAtOnce: atOnce)
    }

    @Test("of a reversal release what is held and give back what was taken, whatever their extra data say")
    func reversal() throws {
        let reversal = try AfterSaleTests.event("CANCEL_OR_REFUND", "X1")
        #expect(try snapshot([reversal], atOnce: false).standing == .voided)
        let taken = try snapshot([reversal], atOnce: true)
        #expect(taken.standing != .voided && taken.captured == Self.price)
        #expect(taken.refunds.map(\.amount) == [Self.price] && taken.refunds.first?.status == .succeeded)
        let back = try snapshot([reversal, AfterSaleTests.event("REFUNDED_REVERSED", "X1")], atOnce: true)
        #expect(back.refunds.first?.status != .succeeded)
        let refused = try AfterSaleTests.event("CANCEL_OR_REFUND", "X1", success: false)
        #expect(try snapshot([refused], atOnce: false).standing != .voided)
    }

    @Test("of an expiry end the hold and leave what was taken") func expiry() throws {
        let expiry = try AfterSaleTests.event("EXPIRE", "PSP1")
        #expect(try snapshot([expiry], atOnce: false).standing == .voided)
        let part = try snapshot([AfterSaleTests.event("CAPTURE", "C1", "pay_1-c1", units: 500), expiry], atOnce: false)
        #expect(part.standing != .voided && part.captured.minorUnits == 500)
    }

    @Test("after a cancel that was refused say that the money was collected again") func collectedAgain() throws {
        let events = [
            try AfterSaleTests.event("CAPTURE", "C1", "pay_1-c1"),
            try AfterSaleTests.event("CAPTURE_FAILED", "C1", "pay_1-c1"),
            try AfterSaleTests.event("CANCELLATION", "V1", "void-pay_1-a1", success: false),
            try AfterSaleTests.event("CAPTURE", "C2", "pay_1-c1"),
        ]
        for order in AfterSaleTests.orders(events) {
            let seen = try snapshot(order, atOnce: false)
            #expect(seen.captured == Self.price && seen.standing != .voided)
        }
    }

    @Test("in another order of their clock mean the same: the signature does not cover it") func clock() throws {
        for times in [[1, 2, 3], [3, 2, 1]] as [[Int64]] {
            let events = [
                try AfterSaleTests.event("CHARGEBACK", "D1", at: times[0]),
                try AfterSaleTests.event("CHARGEBACK_REVERSED", "D1", at: times[1], status: "Lost"),
                try AfterSaleTests.event("SECOND_CHARGEBACK", "D1", at: times[2], status: "Won"),
            ]
            let found = ProviderSnapshot.Dispute.all(in: events, of: "PSP1")
            #expect(found.map(\.outcome) == [.lost] && found.first?.withdrawn == Self.price)
        }
    }
}
