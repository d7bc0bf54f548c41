public import TillCore

/// The verification steps of a payment token, in order.
public enum PaymentTokenStep: String, Hashable, Sendable, CaseIterable {
    /// The JSON, its members, its base64 and hexadecimal text.
    case format
    /// The signature container (CMS, RFC 5652).
    case container
    /// The signer: its certificate and Apple's marker extensions.
    case signer
    /// The chain from the signer to Apple's root, and its validity dates.
    case chain
    /// The digest of the signed bytes.
    case digest
    /// The signature over the signed attributes.
    case signature
    /// The age of the signature.
    case signingTime = "signing-time"
    /// The merchant's processing key that the token names.
    case key
    /// Decryption of the payload.
    case decryption
    /// The contents of the payload.
    case payload
    /// The binding to this request.
    case applicationData = "application-data"
    /// The binding to amount, currency and merchant.
    case order
    /// Single use of the token.
    case replay
}

/// The reason that a payment token was rejected. No message contains any of the token's secrets.
public struct PaymentTokenError: ExplainedError, Hashable {
    /// The step that failed.
    public let step: PaymentTokenStep
    /// A stable identifier for programs and metrics, from a finite set.
    public let code: String
    /// The error in one sentence.
    public let what: String
    /// The recommended next step in one sentence.
    public let next: String
    /// Always `no`: a rejected token moves no money.
    public var moneyMoved: MoneyMoved { .no }

    init(_ step: PaymentTokenStep, _ code: String, _ what: String, next: String? = nil) {
        self.step = step
        self.code = code
        self.what = what
        self.next = next ?? PaymentTokenError.advice[step] ?? "Ask the customer to pay again."
    }

    private static let advice: [PaymentTokenStep: String] = [
        .format: "Pass on the token exactly as the wallet gave it.",
        .container: "Pass on the token exactly as the wallet gave it; if it was, treat it as forged.",
        .signer: "Treat the token as forged.",
        .chain: "Check the machine's clock and, for test tokens, the root certificate; otherwise treat it as forged.",
        .digest: "Treat the token as changed on its way.",
        .signature: "Treat the token as forged.",
        .signingTime: "Check the machine's clock; if it is right, ask the customer to pay again.",
        .key: "Add the processing certificate that was active when the token was made to the key ring.",
        .decryption: "Check that certificate and key belong to the merchant that the token was made for.",
        .payload: "Ask the customer to pay again; report the token's shape if it happens twice.",
        .applicationData: "Ask the customer to pay again from the order's own page.",
        .order: "Show the customer the order as it is now and ask again.",
        .replay: "Look up the earlier payment before the customer pays again.",
    ]
}
