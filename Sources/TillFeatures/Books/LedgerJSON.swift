public import TillBooks
import TillCore

/// The JSON form of ledger balances.
public enum LedgerJSON {
    /// Encodes the balances: `{"sequence":…,"balances":[…]}`. Amounts are minor units, debits positive.
    /// - Parameter position: The journal position up to which the ledger has read.
    public static func write(_ balances: LedgerBalances, at position: Ledger.Position) -> [UInt8] {
        var writer = JSONWriter(reserving: 1_024)
        writer.beginObject()
        writer.field("sequence", position.sequence)
        writer.key("balances")
        writer.beginArray()
        for balance in balances.all {
            writer.beginObject()
            writer.field("account", balance.account.name)
            writer.field("kind", balance.account.kind.rawValue)
            writer.field("provider", balance.account.provider?.rawValue)
            writer.field("provider_account", balance.account.providerAccount)
            writer.field("test", balance.account.isTest)
            writer.field("currency", balance.currency.code)
            writer.key("amount")
            writer.raw(String(balance.units))
            writer.endObject()
        }
        writer.endArray()
        writer.key("unreadable")
        writer.beginArray()
        for payment in position.unreadable.map(\.rawValue).sorted() { writer.string(payment) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }
}
