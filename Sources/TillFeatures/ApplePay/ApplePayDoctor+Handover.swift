public import TillProvider

extension ApplePayDoctor {
    /// The provider of the counter's payments, as far as Apple Pay is concerned.
    public struct ProviderStanding: Sendable {
        /// The provider's display name.
        let title: String
        /// The forms of tokens that were never tried against its real service.
        let unverified: Set<WalletHandover>

        /// - Parameters:
        ///   - title: the provider's display name.
        ///   - unverified: the forms of tokens that were never tried against its real service.
        public init(title: String, unverified: Set<WalletHandover>) {
            self.title = title
            self.unverified = unverified
        }
    }

    /// Warns of tokens in a form that was never tried against the provider's real service.
    func handover() -> [Finding] {
        guard let provider else { return [] }
        let form: WalletHandover = settings.opening == .provider ? .sealed : .opened
        guard provider.unverified.contains(form) else { return [] }
        let other: TokenOpening = settings.opening == .provider ? .here : .provider
        let title = provider.title
        return [
            warning(
                "provider_unverified",
                "\"tokens\": \"\(settings.opening.rawValue)\" is not verified against \(title)'s real service, which "
                    + "takes such tokens only from accounts that it has opened for them. Ask \(title) to open yours "
                    + "and make a sale and its refund first, or set \"tokens\" to \"\(other.rawValue)\".")
        ]
    }
}
