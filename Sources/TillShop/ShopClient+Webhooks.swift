import HTTPTypes
package import TillCore

/// A notification that a shop is to send. It is a hint only: shops lose some and send some twice.
package struct ShopNotification: Sendable {
    /// What the shop notifies of.
    package enum Topic: String, CaseIterable, Hashable, Sendable {
        case created = "order.created"
        case updated = "order.updated"
        case deleted = "order.deleted"
    }

    package var topic: Topic
    /// The address to which it is sent, over HTTPS; shops refuse private addresses.
    package var url: String
    /// The secret by which it is signed.
    package var secret: Secret<String>

    package init(topic: Topic, url: String, secret: Secret<String>) {
        (self.topic, self.url, self.secret) = (topic, url, secret)
    }
}

extension ShopClient {
    /// Has the shop send a notification. One to the same address about the same topic gets the new secret and is
    /// enabled again.
    package func subscribe(to notification: ShopNotification) async throws(ShopError) {
        let known = try await get("webhooks", [("per_page", String(ShopLimits.page))]).document
        guard let listed = known.arrayValue, listed.count < ShopLimits.page else {
            throw .unreadable("list of webhooks: there are \(ShopLimits.page) or more")
        }
        let body: JSONValue = .members([
            "name": .string("Till"), "topic": .string(notification.topic.rawValue),
            "delivery_url": .string(notification.url), "secret": .string(notification.secret.reveal()),
            "status": .string("active"),
        ])
        let same = listed.first {
            $0["delivery_url"]?.stringValue == notification.url
                && $0["topic"]?.stringValue == notification.topic.rawValue
        }
        let path = same.flatMap { $0["id"]?.int64Value }.map { "webhooks/\($0)" } ?? "webhooks"
        let made = try await change(same == nil ? .post : .put, path, body)
        guard made["id"]?.int64Value != nil else { throw .lost("the shop named no webhook") }
    }

    /// Removes the notifications to an address.
    package func unsubscribe(_ url: String) async throws(ShopError) {
        guard let listed = try await get("webhooks", [("per_page", String(ShopLimits.page))]).document.arrayValue else {
            throw .unreadable("list of webhooks")
        }
        for one in listed where one["delivery_url"]?.stringValue == url {
            guard let id = one["id"]?.int64Value else { throw .unreadable("id of a webhook") }
            _ = try await remove("webhooks/\(id)")
        }
    }
}
