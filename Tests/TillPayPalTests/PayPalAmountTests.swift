import TillTestSupport
import Testing
import TillCore
import TillPayPalClient

@Suite("Amounts on PayPal's wire")
struct PayPalAmountTests {
    @Test(
        "each currency is on the wire what PayPal documents, and comes back",
        arguments: WireAmountTable.rows(of: .payPal))
    func table(row: WireAmountTable.Row) {
        #expect(WireAmountTable.faults(of: .payPal, in: row).isEmpty)
    }
}
