package import TillCore
import TillCounter
package import TillJournal
package import TillShop

/// The identifier of a connected shop: `shop_` and 24 letters. The same address has the same one in an account, also
/// after it was disconnected.
package struct ConnectedShopID: Identifier {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    static func of(_ account: AccountID, _ url: ShopURL) -> ConnectedShopID {
        let bytes = digest("till/shops/\(account)/\(url.text)".utf8)
        // Letters in place of hexadecimal digits, of which some would read as a card number.
        let letters = bytes.flatMap { [0x61 + ($0 >> 4), 0x61 + ($0 & 15)] }
        return ConnectedShopID(rawValue: "shop_" + String(decoding: letters, as: UTF8.self).prefix(24))
    }
}

/// A shop whose orders are on the counter, and which is told of their payments.
package struct ConnectedShop: Hashable, Sendable {
    package let id: ConnectedShopID
    package let account: AccountID
    package let url: ShopURL
    /// The public half of the key.
    package var key: String
    /// The other half, sealed with the pepper.
    var sealedSecret: [UInt8]
    /// The secret by which the shop signs its notifications, sealed likewise.
    var sealedHookSecret: [UInt8]
    /// The scope of its order numbers on the counter; `nil` for none.
    package let scope: OrderScope?
    /// `true` for a shop whose address was named over HTTP: each request checks the address that it goes to. Another
    /// key does not end that.
    package let isGuarded: Bool
    /// The position in the journal up to which payments were looked at.
    package internal(set) var cursor: Int64
    /// The time up to which changes in the shop were taken in; `nil` before the first time.
    package internal(set) var seenUntil: Timestamp?
    /// The last failure, until a success.
    package internal(set) var trouble: ShopTrouble?
    package let createdAt: Timestamp

    /// Seals the secrets for the journal.
    static func sealed(_ secret: Secret<String>, _ id: ConnectedShopID, by pepper: Pepper) throws(StaffError) -> [UInt8]
    {
        try pepper.seal(Secret(Array(secret.reveal().utf8)), for: "\(collection.rawValue)/\(id)")
    }

    /// Opens the pair of keys.
    func openedKey(by pepper: Pepper) throws -> ShopKey {
        try ShopKey(key: key, secret: try opened(sealedSecret, by: pepper))
    }

    /// Opens the secret of its notifications.
    func openedHookSecret(by pepper: Pepper) throws(StaffError) -> Secret<String> {
        try opened(sealedHookSecret, by: pepper)
    }

    private func opened(_ sealed: [UInt8], by pepper: Pepper) throws(StaffError) -> Secret<String> {
        let bytes = try pepper.open(sealed, for: "\(ConnectedShop.collection.rawValue)/\(id)")
        return Secret(String(decoding: bytes.reveal(), as: UTF8.self))
    }

    /// The end of the public half of its key, by which a person recognizes it in the shop's list of keys.
    package var keyEnding: String { "…" + key.suffix(7) }
}

extension ConnectedShop: RecordDocument {
    package static let collection: RecordCollection = "shop"

    static func match(_ account: AccountID) -> RecordMatch { RecordMatch("account", account.rawValue) }

    package var record: Record {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.field("account", account.rawValue)
        writer.field("url", url.text)
        writer.field("key", key)
        writer.field("secret", Hex.lowercase(sealedSecret))
        writer.field("hook_secret", Hex.lowercase(sealedHookSecret))
        if let scope { writer.field("scope", scope.rawValue) }
        if isGuarded { writer.field("guarded", true) }
        writer.field("cursor", cursor)
        if let seenUntil { writer.field("seen_until", seenUntil.milliseconds) }
        if let trouble { writer.field("trouble", trouble.json) }
        writer.field("created_at", createdAt.milliseconds)
        writer.endObject()
        let match = ConnectedShop.match(account)
        return Record(
            RecordID(ConnectedShop.collection, id.rawValue), body: writer.bytes, fields: [match.field: match.value])
    }

    package init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        let address = try body.text("url")
        do throws(ShopError) { url = try ShopURL(address, allowsPlain: true) } catch { throw body.damaged("url") }
        id = ConnectedShopID(rawValue: stored.id.key)
        account = AccountID(rawValue: try body.text("account"))
        key = try body.text("key")
        sealedSecret = try body.bytes("secret")
        sealedHookSecret = try body.bytes("hook_secret")
        scope = body.optionalText("scope").flatMap { OrderScope($0) }
        isGuarded = body.json["guarded"]?.boolValue ?? false
        cursor = try body.int("cursor")
        seenUntil = body.optionalInt("seen_until").map { Timestamp(milliseconds: $0) }
        trouble = ShopTrouble(json: body.json["trouble"])
        createdAt = Timestamp(milliseconds: try body.int("created_at"))
    }

    init(
        id: ConnectedShopID, account: AccountID, url: ShopURL, key: String, sealedSecret: [UInt8],
        sealedHookSecret: [UInt8], scope: OrderScope?, isGuarded: Bool, cursor: Int64, createdAt: Timestamp
    ) {
        (self.id, self.account, self.url, self.key) = (id, account, url, key)
        (self.sealedSecret, self.sealedHookSecret, self.scope) = (sealedSecret, sealedHookSecret, scope)
        (self.isGuarded, self.cursor, self.createdAt) = (isGuarded, cursor, createdAt)
    }
}
