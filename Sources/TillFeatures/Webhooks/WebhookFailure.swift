/// The reason that an attempt had no answer.
package enum WebhookFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The URL is none that may be called (any more).
    case url(WebhookURLError)
    case nameNotFound
    /// The name waited for others that are resolved, and was not looked for; nothing was sent.
    case resolversBusy
    /// A name leads to an address that may not be called; nothing was connected. The address is for the log: whoever
    /// owns the endpoint may not be the owner of the network.
    case address(String)
    /// Nothing was sent, or no answer came; the transport's reason.
    case noAnswer(String)

    package var description: String {
        switch self {
        case .url(let error): "The URL is not called. \(error)"
        case .nameNotFound: "The host's name was not found."
        case .resolversBusy: "The host's name was not looked for in time."
        case .address: "The host's name leads to an address to which no webhook is sent."
        case .noAnswer(let reason): "No answer: \(reason)."
        }
    }
}

/// The answer to an attempt.
package struct WebhookAnswer: Hashable, Sendable {
    package var status: Int
    /// The field `Retry-After`, unread.
    package var retryAfter: String?
    /// The beginning of the body.
    package var body: [UInt8]

    package init(status: Int, retryAfter: String? = nil, body: [UInt8] = []) {
        (self.status, self.retryAfter, self.body) = (status, retryAfter, body)
    }

    /// `true` for the only answers that end a message well.
    package var isSuccess: Bool { (200..<300).contains(status) }
}
