import Crypto
import Foundation
import HTTPTypes
import TillCore
import TillStandInServing

/// The webhooks of the Braintree stand-in, signed with the shop's own keys as Braintree signs them: `bt_signature` and
/// `bt_payload` in a form.
actor BraintreeWebhookSender {
    /// The maximum number of webhooks kept for polling; the oldest are dropped first.
    static let maximumKept = 1000
    /// The maximum number of delivery attempts for a webhook.
    static let maximumTries = 6

    private let clock: any TillClock
    private var transport: (any HTTPTransport)?
    private var url: String?
    private var keys: (publicKey: String, privateKey: String)?
    private(set) var kept: [String] = []
    private var isListening = false

    init(clock: any TillClock) { self.clock = clock }

    /// Sets the transport for deliveries.
    func use(_ transport: any HTTPTransport) { self.transport = transport }

    /// Sets the delivery address; without one, webhooks are kept for polling.
    func listen(_ url: String?) {
        self.url = url
        isListening = true
    }

    /// Remembers the API keys of the latest caller, which sign the webhooks.
    func received(_ authorization: String) {
        guard authorization.hasPrefix("Basic "), let data = Data(base64Encoded: String(authorization.dropFirst(6)))
        else {
            return
        }
        let parts = String(decoding: data, as: UTF8.self).split(separator: ":", maxSplits: 1)
        if parts.count == 2 { keys = (String(parts[0]), String(parts[1])) }
    }

    /// Reports status changes of transactions.
    func tell(_ kind: String, transactions: [BraintreeElement]) {
        guard isListening, let keys else { return }
        for subject in transactions {
            let notification = BraintreeElement(
                "notification",
                of: [
                    BraintreeElement("kind", kind),
                    BraintreeElement("timestamp", clock.now().internetTime, type: "datetime"),
                    BraintreeElement("subject", of: [subject]),
                ])
            let text = Data(notification.bytes()).base64EncodedString()
            // Lines of 60 characters, as in Braintree's server SDKs.
            var payload = ""
            var rest = text[...]
            while !rest.isEmpty {
                payload += rest.prefix(60) + "\n"
                rest = rest.dropFirst(60)
            }
            let key = SymmetricKey(data: Insecure.SHA1.hash(data: Array(keys.privateKey.utf8)))
            let code = HMAC<Insecure.SHA1>.authenticationCode(for: Array(payload.utf8), using: key)
            let form = [("bt_signature", "\(keys.publicKey)|\(Hex.lowercase(code))"), ("bt_payload", payload)]
                .map { "\($0)=\(BraintreeWebhookSender.escaped($1))" }.joined(separator: "&")
            guard let url else {
                kept.append(form)
                if kept.count > BraintreeWebhookSender.maximumKept { kept.removeFirst() }
                continue
            }
            Task { await send(form, to: url) }
        }
    }

    private func send(_ form: String, to url: String) async {
        guard let transport, let request = HTTPRequest(posting: "application/x-www-form-urlencoded", to: url) else {
            return
        }
        await transport.sendPersistently(
            request, body: Array(form.utf8), tries: BraintreeWebhookSender.maximumTries, clock: clock)
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
