package import TillCore
package import TillProvider
import TillWeb

/// The card fields of the provider that the counter charges, with a key for each session.
///
/// A session's key is kept in memory until others push it out: whoever asks with one session again and again costs the
/// provider one call, and at most ``maximumAsks`` while it gives none.
package actor OfferedCardFields {
    /// The maximum number of sessions whose keys are kept; the oldest is forgotten first.
    static let maximumKept = 1_000
    /// The maximum number of calls to the provider for one session.
    static let maximumAsks = 10

    private struct Ask {
        var key: Task<ProviderCardFields.Key?, Never>
        var count = 1
        var hasFailed = false
    }

    /// The provider of the fields.
    nonisolated let provider: ProviderName
    /// `nil` if the provider has none.
    nonisolated let fields: ProviderCardFields?
    private var asks: [String: Ask] = [:]
    /// The sessions of ``asks``, oldest first.
    private var order: [String] = []

    /// - Parameter modules: The configured providers.
    package init(_ modules: [any ProviderModule], of provider: ProviderName) {
        self.provider = provider
        fields = modules.first { type(of: $0).name == provider }?.cardFields
    }

    /// What the counter's frame loads; `nil` if the frame has the counter's own fields.
    nonisolated var sources: ProviderCardFields.Sources? { fields?.sources }

    /// The type of the tender with which the counter's frame pays.
    nonisolated var tenderType: String {
        guard let fields, fields.sources != nil else { return "card" }
        switch fields.reference {
        case .token: return "token"
        case .order: return "paypal_card"
        case .session: return "adyen_session"
        }
    }

    /// Returns what a page or an app needs for the fields in one session.
    /// - Throws: a `Problem` if the provider has no fields, or gives no key at the moment.
    func document(for session: PaymentSession, _ payment: Payment) async throws -> JSONValue {
        guard let fields else { throw Problem.noCardFields(provider) }
        switch await key(session.id, payment.currency, of: fields) {
        case .publishable(let key)?:
            return .members(["provider": .string(provider.rawValue), "publishable_key": .string(key)])
        case .clientToken(let token)?:
            // What the bank is asked about: Braintree compares it with what is charged.
            let amount = JSONValue.members(["amount": .string(payment.amount.decimalString)])
            return .members([
                "provider": .string(provider.rawValue), "client_token": .string(token.reveal()),
                "three_d_secure": fields.verifiesCards ? amount : nil,
            ])
        case .clientID(let client)?:
            // PayPal's script compares both with the order.
            return .members([
                "provider": .string(provider.rawValue), "client_id": .string(client),
                "currency": .string(payment.currency.code),
                "intent": .string(payment.captureMode == .automatic ? "capture" : "authorize"),
            ])
        case .clientKey(let key)?:
            return .members(["provider": .string(provider.rawValue), "client_key": .string(key)])
        case nil: throw Problem.cardFieldsUnavailable
        }
    }

    private func key(
        _ session: String, _ currency: Currency, of fields: ProviderCardFields
    ) async -> ProviderCardFields.Key? {
        let asked: Task<ProviderCardFields.Key?, Never>
        if let kept = asks[session], !kept.hasFailed || kept.count >= OfferedCardFields.maximumAsks {
            asked = kept.key
        } else {
            asked = Task { await fields.key(for: currency) }
            if let failed = asks[session] {
                asks[session] = Ask(key: asked, count: failed.count + 1)
            } else {
                if order.count >= OfferedCardFields.maximumKept { asks[order.removeFirst()] = nil }
                asks[session] = Ask(key: asked)
                order.append(session)
            }
        }
        let key = await asked.value
        if key == nil, asks[session]?.key == asked { asks[session]?.hasFailed = true }
        return key
    }
}
