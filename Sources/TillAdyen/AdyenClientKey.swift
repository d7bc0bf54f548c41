internal import TillCore
internal import TillProvider

/// A client key of Adyen's: with it Adyen's components and SDK take a card in a session, and nothing else. Not a
/// secret.
struct AdyenClientKey: Hashable, Sendable {
    /// The maximum length, in bytes.
    static let maximumBytes = 255

    let text: String

    /// - Parameter mode: The mode of the API key. A session of the other mode would be unknown to it.
    /// - Throws: ``AdyenConfigError``, which never repeats the input.
    init(_ text: String, in mode: PaymentMode) throws(AdyenConfigError) {
        let isTest = text.hasPrefix("test_")
        let isSafe = text.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
        }
        guard isTest || text.hasPrefix("live_"), isSafe, (6...AdyenClientKey.maximumBytes).contains(text.utf8.count)
        else { throw .unusable("client key") }
        guard isTest == (mode == .test) else { throw .unusable("client key, which is of another mode,") }
        self.text = text
    }

    /// The fields of Adyen's SDK with this key.
    var cardFields: ProviderCardFields {
        ProviderCardFields(sources: nil, reference: .session) { [text] _ in ProviderCardFields.Key.clientKey(text) }
    }
}
