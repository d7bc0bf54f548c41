import Crypto
import Foundation
import HTTPTypes
import TillCore

/// The webhooks of the Braintree stand-in, signed with the shop's own keys as Braintree signs: `bt_signature` and
/// `bt_payload` in a form.
actor BraintreeWebhookSender {
    /// The most that are kept for somebody who fetches them; the oldest go first.
    static let maximumKept = 1000
    /// How often one is sent to somebody who does not take it.
    static let maximumTries = 6

    private let clock: any TillClock
    private var transport: (any HTTPTransport)?
    private var url: String?
    private var keys: (publicKey: String, privateKey: String)?
    private(set) var kept: [String] = []
    private var isListening = false

    init(clock: any TillClock) { self.clock = clock }

    /// What carries them to an address.
    func use(_ transport: any HTTPTransport) { self.transport = transport }

    /// Where to tell; without an address they are kept.
    func listen(_ url: String?) {
        self.url = url
        isListening = true
    }

    /// The keys of whoever called last: those are signed with.
    func heard(_ authorization: String) {
        guard authorization.hasPrefix("Basic "), let data = Data(base64Encoded: String(authorization.dropFirst(6)))
        else {
            return
        }
        let parts = String(decoding: data, as: UTF8.self).split(separator: ":", maxSplits: 1)
        if parts.count == 2 { keys = (String(parts[0]), String(parts[1])) }
    }

    /// Reports what became of transactions.
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
            // In lines of 60, as Braintree's libraries for servers make them.
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
