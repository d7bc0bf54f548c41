public import TillCore

/// The checks of a payment token, in the order in which they are made.
public enum PaymentTokenStep: String, Hashable, Sendable, CaseIterable {
    /// The JSON, its members, its base64 and hexadecimal text.
    case format
    /// The signature's container (CMS, RFC 5652).
    case container
    /// Who signed: which certificate, with which of Apple's marks.
    case signer
    /// The chain from the signer to Apple's root, and its dates.
    case chain
    /// The digest of what was signed.
    case digest
    /// The signature does not fit the signed bytes.
    case signature
    /// How long ago it was signed.
    case signingTime = "signing-time"
    /// The merchant's processing key that the token was made for.
    case key
    /// Taking the payload out of its encryption.
    case decryption
    /// What the payload says.
    case payload
    /// That the token is for this request.
    case applicationData = "application-data"
    /// That the token is for this amount, currency and merchant.
    case order
    /// That the token was not used before.
    case replay
}

/// Why a payment token was refused. No sentence holds anything of the token's secret content.
public struct PaymentTokenError: ExplainedError, Hashable {
    /// The check that failed.
    public let step: PaymentTokenStep
    /// A stable word for programs and metrics; the set of words is finite.
    public let code: String
    /// What happened, one sentence.
    public let what: String
    /// What to do next, one sentence.
    public let next: String
    /// A refused token moves no money.
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
