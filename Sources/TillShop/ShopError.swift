package import TillCore

/// A failed step of the conversation with a shop. The shop only records: none of them moves money.
package enum ShopError: ExplainedError, Hashable {
    /// The text is no address of a shop.
    case address(String)
    /// The text is no key pair; with the half that is wrong.
    case key(ShopKey.Half)
    /// Something to be sent is beyond a limit.
    case tooLong(String)
    /// The request did not leave: the shop did nothing.
    case notSent(String)
    /// A change was sent, and no usable answer came: the shop may have carried it out. It is not failed; read the order
    /// before it is sent again.
    case lost(String)
    /// A question that changes nothing had no usable answer: no connection kept, a page instead of a document, a fault
    /// of the shop's server.
    case unavailable(String)
    /// The shop answers from another address.
    case redirected
    /// The shop does not accept the key, or the key lacks a right.
    case unauthorized(ShopMessage)
    /// The shop has no such order.
    case notFound(ShopMessage)
    /// The shop refuses the request.
    case refused(status: Int, ShopMessage)
    /// A document lacks a part, or has it in an unknown form.
    case unreadable(String)
    /// The list changed each time that it was read.
    case unstableList
    /// There are more orders than one list may have.
    case tooManyOrders
    /// The order needs no payment in the shop: nothing was recorded.
    case notPayable(ShopOrderStatus)
    /// The shop has another payment of the order.
    case paidOtherwise(transaction: String)
    /// The order's total in the shop is not what was paid.
    case totalDiffers(shop: Money, paid: Money)
    /// The shop answered and did not record the payment.
    case notRecorded(ShopOrderStatus)

    /// `true` if the shop may have carried out the change.
    package var mayHaveHappened: Bool {
        switch self {
        case .lost, .notRecorded: true
        case .address, .key, .tooLong, .notSent, .unavailable, .redirected, .unauthorized, .notFound, .refused,
            .unreadable, .unstableList, .tooManyOrders, .notPayable, .paidOtherwise, .totalDiffers:
            false
        }
    }

    package var code: String {
        switch self {
        case .address: "shop_address"
        case .key: "shop_key"
        case .tooLong: "shop_too_long"
        case .notSent: "shop_not_reached"
        case .lost: "shop_answer_lost"
        case .unavailable: "shop_unavailable"
        case .redirected: "shop_redirected"
        case .unauthorized: "shop_unauthorized"
        case .notFound: "shop_order_not_found"
        case .refused: "shop_refused"
        case .unreadable: "shop_unreadable"
        case .unstableList: "shop_list_unstable"
        case .tooManyOrders: "shop_too_many_orders"
        case .notPayable: "shop_order_not_payable"
        case .paidOtherwise: "shop_order_paid_otherwise"
        case .totalDiffers: "shop_total_differs"
        case .notRecorded: "shop_not_recorded"
        }
    }

    package var what: String {
        switch self {
        case .address(let reason): "This is no address of a shop. \(reason)"
        case .key(.key):
            "This is no key pair of a shop. The consumer key must begin with ck_ and have at most "
                + "\(ShopLimits.keyBytes) letters and digits."
        case .key(.secret):
            "This is no key pair of a shop. The consumer secret must begin with cs_ and have at most "
                + "\(ShopLimits.keyBytes) letters and digits."
        case .tooLong(let part): "\(part) is too long for the shop. Nothing was sent."
        case .notSent(let reason): "The shop was not reached: \(reason). It did nothing."
        case .lost(let reason): "The shop's answer was lost: \(reason). The shop may have carried out the change."
        case .unavailable(let reason): "The shop gave no usable answer: \(reason). Nothing was changed."
        case .redirected: "The shop answers from another address, and redirects are not followed."
        case .unauthorized(let message): "The shop does not accept the key for this: \(message)"
        case .notFound(let message): "The shop has no such order: \(message)"
        case .refused(let status, let message): "The shop refuses the request (status \(status)): \(message)"
        case .unreadable(let part): "The shop's answer has no usable \(part)."
        case .unstableList: "The shop's list of orders changed each time that it was read."
        case .tooManyOrders: "The shop's list has more than \(ShopLimits.listedOrders) orders."
        case .notPayable(let status): "The order is \(status) in the shop and needs no payment. Nothing was recorded."
        case .paidOtherwise(let transaction):
            "The shop has the order as paid by \(transaction.isEmpty ? "another payment" : transaction). "
                + "Nothing was recorded."
        case .totalDiffers(let shop, let paid):
            "The order's total is \(shop.decimalString) \(shop.currency) in the shop and "
                + "\(paid.decimalString) \(paid.currency) was paid."
        case .notRecorded(let status):
            "The shop answered, and the order is still \(status) there without the payment."
        }
    }

    package var moneyMoved: MoneyMoved { .no }

    package var next: String {
        switch self {
        case .address, .key, .tooLong: "Correct it."
        case .notSent, .unavailable, .unstableList: "Try again."
        case .lost: "Read the order before trying again."
        case .redirected: "Use the address to which a browser is led."
        case .unauthorized: "Check the key and its rights in the shop, under Advanced, REST API."
        case .notFound: "Check in the shop whether the order was deleted."
        case .refused, .unreadable: "Check the shop."
        case .tooManyOrders: "List those that were changed later."
        case .notPayable, .paidOtherwise, .totalDiffers, .notRecorded: "Look at the order in the shop."
        }
    }
}

/// The shop's own words in an error: its stable code, and a message that is shortened, without card numbers and without
/// the secret of the key, should the shop repeat it.
package struct ShopMessage: Hashable, Sendable, CustomStringConvertible {
    /// The code as the shop wrote it, such as `woocommerce_rest_invalid_id`; empty if there is none.
    package let code: String
    package let text: String

    /// - Parameter secrets: what is left out of the words.
    init(_ document: JSONValue?, without secrets: [String] = []) {
        code = ShopMessage.short(document?["code"]?.stringValue, without: secrets)
        text = ShopMessage.short(document?["message"]?.stringValue, without: secrets)
    }

    /// Returns a text of the shop, shortened, on one line, without card numbers and without secrets.
    static func short(_ text: String?, without secrets: [String] = []) -> String {
        // Before it is shortened, so that no beginning of a secret stays at the end, and scalar by scalar: a character
        // may be a scalar of the secret with marks upon it.
        let known = secrets.reduce((text ?? "").unicodeScalars) { words, secret in
            secret.isEmpty ? words : words.replacing(secret.unicodeScalars, with: "…".unicodeScalars)
        }
        let plain = known.map {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? " " : Character($0)
        }
        return CardNumberMask.masked(String(String(plain).prefix(ShopLimits.messageCharacters)))
    }

    package var description: String {
        text.isEmpty ? (code.isEmpty ? "it gives no reason." : "\(code).") : "\(text) (\(code))"
    }
}
