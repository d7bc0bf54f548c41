import TillTestSupport
import Testing
import TillCore
import TillStripe

@Suite("Amounts on Stripe's wire")
struct StripeAmountTests {
    @Test(
        "each currency is on the wire what Stripe documents, and comes back",
        arguments: WireAmountTable.rows(of: .stripe))
    func table(row: WireAmountTable.Row) {
        #expect(WireAmountTable.faults(of: .stripe, in: row).isEmpty)
    }
}
