import TillTestSupport
import Testing
import TillCore
import TillAdyen

@Suite("Amounts on Adyen's wire")
struct AdyenAmountTests {
    @Test(
        "each currency is on the wire what Adyen documents, and comes back", arguments: WireAmountTable.rows(of: .adyen)
    )
    func table(row: WireAmountTable.Row) {
        #expect(WireAmountTable.faults(of: .adyen, in: row).isEmpty)
    }
}
