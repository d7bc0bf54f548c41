import TillCore

/// The JSON members by which records store an account and a currency.
extension LedgerAccount {
    /// `nil` if the members do not describe an account.
    init?(_ json: JSONValue) {
        guard let kind = json["kind"]?.stringValue.flatMap({ Kind(rawValue: $0) }),
            let isTest = json["test"]?.boolValue
        else { return nil }
        self.init(
            kind, provider: json["provider"]?.stringValue.map { ProviderName(rawValue: $0) },
            providerAccount: json["provider_account"]?.stringValue, isTest: isTest)
    }

    func write(to writer: inout JSONWriter, with currency: Currency) {
        writer.field("kind", kind.rawValue)
        writer.field("provider", provider?.rawValue)
        writer.field("provider_account", providerAccount)
        writer.field("test", isTest)
        writer.field("currency", currency.code)
    }
}
