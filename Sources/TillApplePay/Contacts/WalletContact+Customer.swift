extension WalletContact {
    /// Returns the customer's contact of an authorized sheet: the shipping contact, with the billing contact's name,
    /// e-mail and phone where it has none.
    ///
    /// On collection the sheet's shipping contact is the merchant's own place, which is sent to the wallet with the
    /// merchant's name. Where that name comes back, the billing contact's is the customer's.
    package static func customer(
        shipping: WalletContact, billing: WalletContact?, service: SheetBasket.Service
    ) -> WalletContact {
        var contact = shipping
        if case .collection(let place) = service, shipping.isNamed(place.name) {
            contact.givenName = nil
            contact.familyName = nil
        }
        let merged = merging(billing: billing, shipping: contact)
        if contact.givenName == nil, contact.familyName == nil {
            contact.givenName = merged.givenName
            contact.familyName = merged.familyName
        }
        contact.emailAddress = merged.emailAddress
        contact.phoneNumber = merged.phoneNumber
        return contact
    }

    /// Returns `true` if given and family name together are this name, in whatever case and spacing.
    private func isNamed(_ name: String) -> Bool {
        func words(_ text: String) -> [Substring] { text.lowercased().split(whereSeparator: \.isWhitespace) }
        let own = words([givenName, familyName].compactMap(\.self).joined(separator: " "))
        return !own.isEmpty && own == words(name)
    }
}
