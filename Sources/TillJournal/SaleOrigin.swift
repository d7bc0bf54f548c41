package import TillCore

/// The origin of a sale, as its first event tells: lists by it are read from indexes over that event.
package enum SaleOrigin {
    /// The key of an order's metadata with the identifier of its shop.
    package static let shopKey = "shop"
    /// The longest identifier that is listed by, in bytes: longer ones are not in the index.
    package static let maximumBytes = 64
}

extension RecordedEvent {
    /// The staff member who made the sale; `nil` for a sale by others, and for any event but a creation.
    package var seller: StaffID? {
        guard case .created = event, case .staff(let id, _)? = by?.actor,
            id.rawValue.utf8.count <= SaleOrigin.maximumBytes
        else { return nil }
        return id
    }

    /// The shop of the order; `nil` for an order of none, and for any event but a creation.
    package var shop: String? {
        guard case .created(let creation) = event,
            let shop = creation.order.metadata.values[SaleOrigin.shopKey],
            shop.utf8.count <= SaleOrigin.maximumBytes
        else { return nil }
        return shop
    }
}
