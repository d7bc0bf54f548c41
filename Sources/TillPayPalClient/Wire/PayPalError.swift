public import TillCore

/// An error answer of PayPal: everything that support needs to follow it up, scrubbed of card data.
public struct PayPalError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One fault that PayPal names, with the field it is about.
    public struct Detail: Hashable, Sendable {
        /// What kind; the only part to branch on.
        public var issue: PayPalIssue
        /// JSON pointer of the field.
        public var field: String?
        /// `body`, `path` or `query`.
        public var location: String?
        /// PayPal's sentence, which may change. The value that PayPal repeats is never kept.
        public var explanation: String?
    }

    /// The HTTP status of the answer.
    public let status: Int
    /// `UNPROCESSABLE_ENTITY`, `INVALID_REQUEST`, …; of the token service `invalid_client`, ….
    public let name: String
    /// PayPal's sentence, for logs and not for customers.
    public let message: String?
    /// What PayPal's support asks for.
    public let debugID: String?
    /// The faults, as sent, at most ``maximumDetails``.
    public let details: [Detail]
    /// Where the customer goes on, if the error names it.
    public let payerAction: String?

    /// The most faults that are kept.
    public static let maximumDetails = 20

    package init(status: Int, body: JSONValue?, debugID: String?, scrub: (String) -> String) {
        self.status = status
        name = PayPalWireText.word(body?["name"]) ?? PayPalWireText.word(body?["error"]) ?? "HTTP_\(status)"
        let text = body?["message"]?.stringValue ?? body?["error_description"]?.stringValue
        message = text.map { PayPalWireText.line(scrub($0), limit: 500) }
        self.debugID = PayPalWireText.word(body?["debug_id"]) ?? debugID
        details = (body?["details"]?.arrayValue ?? []).prefix(PayPalError.maximumDetails).compactMap { item in
            guard let issue = PayPalWireText.word(item["issue"]) else { return nil }
            return Detail(
                issue: PayPalIssue(rawValue: issue),
                field: item["field"]?.stringValue.map { PayPalWireText.line(scrub($0), limit: 200) },
                location: PayPalWireText.word(item["location"]),
                explanation: item["description"]?.stringValue.map { PayPalWireText.line(scrub($0), limit: 500) })
        }
        payerAction = PayerAction.link(in: body)
    }

    /// The first named fault; decisions go by it.
    public var issue: PayPalIssue? { details.first?.issue }

    /// What can be done about it.
    public var kind: PayPalIssue.Kind {
        switch status {
        case 429, 500...599: return .retrySameKey
        case 401: return .account
        default: break
        }
        if let issue { return issue.kind }
        if status == 403 { return .account }
        return name == "INVALID_REQUEST" || status == 404 ? .merchantFault : .unknown
    }

    /// PayPal rejects our own credentials, or what they are allowed: nothing was done, and nothing was decided.
    public var rejectsKey: Bool {
        switch (status, name) {
        case (401, _), (_, "invalid_client"), (_, "unauthorized_client"): true
        case (403, _): issue == nil || issue?.rawValue == "PERMISSION_DENIED"
        default: false
        }
    }

    /// The error says for certain that nothing was done. A 5xx, a call that is still running and an issue that PayPal
    /// has added since do not.
    public var saysNotDone: Bool {
        guard (400..<500).contains(status), status != 408, status != 409 else { return false }
        return details.allSatisfy { !$0.issue.money.needsQuery }
    }

    /// What it asked for may be done: the order is read before anything is said. Not while another call is at work,
    /// since the order need not show its end yet.
    package var needsQuery: Bool {
        guard (400..<500).contains(status), ![401, 408, 429].contains(status) else { return false }
        return kind != .retrySameKey && details.contains { $0.issue.money.needsQuery }
    }

    /// All of it in one line for the shop's log.
    public var description: String {
        var parts = ["HTTP \(status) \(name)"]
        for detail in details.prefix(3) {
            parts.append(detail.issue.rawValue + (detail.field.map { " at \($0)" } ?? ""))
        }
        if let text = details.first?.explanation ?? message { parts.append(text) }
        if let debugID { parts.append("debug id \(debugID)") }
        return parts.joined(separator: "; ")
    }

    /// The error as a definite no.
    public var decline: Decline {
        Decline(
            reason: issue?.declineReason ?? .invalidRequest,
            code: issue?.rawValue ?? name, message: description, requestID: debugID)
    }
}
