import Crypto
import Foundation
import TillCore

/// An event of orders that webhooks report.
enum ShopEvent: String, Sendable {
    case created
    case updated
    case deleted
    case restored
}

/// A webhook that a program has registered.
struct ShopWebhook: Sendable {
    enum Status: String, Sendable {
        case active
        case paused
        case disabled
    }

    let id: Int64
    var name: String
    var status = Status.active
    var topic: String
    var url: String
    var secret: Secret<String>
    var created: Timestamp
    var modified: Timestamp
    /// Failures in a row.
    var failures = 0

    var resource: String { String(topic.prefix { $0 != "." }) }
    var event: String { String(topic.drop { $0 != "." }.dropFirst()) }

    /// The topics that can be registered; others of the shop are refused here.
    static let topics = ["order.created", "order.updated", "order.deleted", "order.restored"]

    /// Returns the signature of a body: HMAC-SHA256 in base64.
    func signature(of body: [UInt8]) -> String {
        let key = SymmetricKey(data: Array(ShopWebhook.withoutEntities(secret.reveal()).utf8))
        return Data(HMAC<SHA256>.authenticationCode(for: body, using: key)).base64EncodedString()
    }

    /// Returns the document; the secret is not in it.
    func document(_ view: ShopView) -> JSONValue {
        view.narrowed(
            .members([
                "id": .number(String(id)), "name": .string(name), "status": .string(status.rawValue),
                "topic": .string(topic), "resource": .string(resource), "event": .string(event),
                "hooks": .array([.string("woocommerce_\(event)_\(resource)")]), "delivery_url": .string(url),
                "date_created": ShopView.local(created), "date_created_gmt": ShopView.gmt(created),
                "date_modified": ShopView.local(modified), "date_modified_gmt": ShopView.gmt(modified),
                "_links": ShopOrder.links("webhooks/\(id)", list: "webhooks", view),
            ]))
    }

    /// Decodes the entities of HTML in a secret, as the shop does before it signs.
    static func withoutEntities(_ text: String) -> String {
        var rest = text[...]
        var decoded = ""
        let entities = [
            ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#039;", "'"), ("&#39;", "'"),
        ]
        while let character = rest.first {
            if character == "&", let entity = entities.first(where: { rest.hasPrefix($0.0) }) {
                decoded += entity.1
                rest = rest.dropFirst(entity.0.count)
            } else {
                decoded.append(character)
                rest = rest.dropFirst()
            }
        }
        return decoded
    }
}
