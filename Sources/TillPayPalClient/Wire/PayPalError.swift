public import TillCore

/// An error answer from PayPal: everything that support needs for an investigation, without card data.
public struct PayPalError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One fault reported by PayPal, with its field.
    public struct Detail: Hashable, Sendable {
        /// The issue; the only value to branch on.
        public var issue: PayPalIssue
        /// The JSON pointer of the field.
        public var field: String?
        /// `body`, `path` or `query`.
        public var location: String?
        /// PayPal's description, which may change. The value echoed by PayPal is never kept.
        public var explanation: String?
    }

    /// The HTTP status of the answer.
    public let status: Int
    /// The name: `UNPROCESSABLE_ENTITY`, `INVALID_REQUEST`, …; for the token service `invalid_client`, ….
    public let name: String
    /// PayPal's message, for logs and not for customers.
    public let message: String?
    /// The debug id that PayPal's support asks for.
    public let debugID: String?
    /// The faults, in the original order, at most ``maximumDetails``.
    public let details: [Detail]
    /// The URL at which the customer continues, if the error contains it.
    public let payerAction: String?

    /// Maximum number of faults kept.
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

    /// The first reported issue, which determines decisions.
    public var issue: PayPalIssue? { details.first?.issue }

    /// The kind of remedy.
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

    /// `true` if PayPal rejects Till's own credentials or their permissions: nothing was executed, and nothing was
    /// decided.
    public var rejectsKey: Bool {
        switch (status, name) {
        case (401, _), (_, "invalid_client"), (_, "unauthorized_client"): true
        case (403, _): issue == nil || issue?.rawValue == "PERMISSION_DENIED"
        default: false
        }
    }

    /// `true` if the error guarantees that nothing was executed. A 5xx, a call still in progress and an issue unknown
    /// to the catalog give no such guarantee.
    public var saysNotDone: Bool {
        guard (400..<500).contains(status), status != 408, status != 409 else { return false }
        return details.allSatisfy { !$0.issue.money.needsQuery }
    }

    /// `true` if the requested operation may already be done, so that the order must be read before a result is
    /// reported. `false` while another call is in progress, because the order need not show its result yet.
    package var needsQuery: Bool {
        guard (400..<500).contains(status), ![401, 408, 429].contains(status) else { return false }
        return kind != .retrySameKey && details.contains { $0.issue.money.needsQuery }
    }

    /// A one-line summary for the shop's log.
    public var description: String {
        var parts = ["HTTP \(status) \(name)"]
        for detail in details.prefix(3) {
            parts.append(detail.issue.rawValue + (detail.field.map { " at \($0)" } ?? ""))
        }
        if let text = details.first?.explanation ?? message { parts.append(text) }
        if let debugID { parts.append("debug id \(debugID)") }
        return parts.joined(separator: "; ")
    }

    /// The error as a definitive decline.
    public var decline: Decline {
        Decline(
            reason: issue?.declineReason ?? .invalidRequest,
            code: issue?.rawValue ?? name, message: description, requestID: debugID)
    }
}
