package import TillCore

/// A key pair of a shop's REST interface.
package struct ShopKey: Sendable, CustomStringConvertible {
    /// The public half: `ck_…`.
    package let key: String
    /// The secret half: `cs_…`.
    package let secret: Secret<String>

    /// A half of the pair.
    package enum Half: Hashable, Sendable {
        case key, secret
    }

    /// - Throws: ``ShopError/key(_:)``, which names the half that is wrong and repeats neither.
    package init(key: String, secret: Secret<String>) throws(ShopError) {
        func fits(_ text: String, _ start: String) -> Bool {
            text.hasPrefix(start) && text.utf8.count > start.utf8.count && text.utf8.count <= ShopLimits.keyBytes
                && text.wholeMatch(of: /[A-Za-z0-9_]+/) != nil
        }
        guard fits(key, "ck_") else { throw .key(.key) }
        guard fits(secret.reveal(), "cs_") else { throw .key(.secret) }
        self.key = key
        self.secret = secret
    }

    /// The end of the public half, by which a person recognizes it in the shop's list of keys.
    package var ending: String { "…" + key.suffix(7) }

    package var description: String { "ShopKey(\(ending))" }
}
