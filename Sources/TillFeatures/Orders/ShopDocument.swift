package import TillCore

/// What a shop's order document says beside the goods: the customer, the way of the goods, the note. WooCommerce's
/// form; a document of another form says nothing of it here.
package struct ShopDocument {
    private let document: JSONValue

    package init(_ document: JSONValue) {
        // Some exports have the order in an envelope.
        self.document = document["total"] == nil ? document["data"] ?? document : document
    }

    /// The customer by the billing address; the address of the goods is that of the shipping.
    package var contact: OrderContact? {
        let (billing, shipping) = (document["billing"], document["shipping"])
        var contact = OrderContact(
            name: joined(billing, ["first_name", "last_name"]) ?? joined(shipping, ["first_name", "last_name"]),
            phone: text(billing, "phone") ?? text(shipping, "phone"), email: text(billing, "email"))
        if handover == .delivery {
            let goods = text(shipping, "address_1") == nil ? billing : shipping
            let address = OrderContact.Address(
                lines: ["company", "address_1", "address_2"].compactMap { text(goods, $0) },
                city: text(goods, "city"), postalCode: text(goods, "postcode"), country: text(goods, "country"))
            contact.address = address.isEmpty ? nil : address
        }
        return contact.isEmpty ? nil : contact
    }

    package var handover: Handover {
        let methods = (document["shipping_lines"]?.arrayValue ?? []).map { $0["method_id"]?.stringValue ?? "" }
        if methods.isEmpty { return .none }
        return methods.contains { $0.hasPrefix("local_pickup") || $0 == "pickup_location" } ? .collection : .delivery
    }

    package var note: String? { text(document, "customer_note", atMost: OrderRequest.maximumNoteBytes) }

    private func text(_ value: JSONValue?, _ name: String, atMost limit: Int = DisplayText.maximumLength) -> String? {
        let text = value?[name]?.stringValue.map { DisplayText.clean($0, atMost: limit) } ?? ""
        return text.isEmpty ? nil : text
    }

    private func joined(_ value: JSONValue?, _ names: [String]) -> String? {
        let text = names.compactMap { self.text(value, $0) }.joined(separator: " ")
        return text.isEmpty ? nil : text
    }
}
