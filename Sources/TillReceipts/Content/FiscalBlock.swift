/// What a fiscal device or service signed, as the integrator got it: printed unchanged, never interpreted, and no claim
/// of ours that a law is met.
public struct FiscalBlock: Hashable, Sendable {
    /// How many lines of a fiscal device are printed; what follows them is left out.
    public static let maximumLines = 40

    /// Lines in their order.
    public let lines: [ReceiptText]
    /// What the QR code says, exactly; none if `nil`.
    public let code: CodeText?

    /// Takes at most ``maximumLines`` lines; control characters do not print.
    public init(lines: [String], code: CodeText? = nil) {
        self.lines = lines.prefix(FiscalBlock.maximumLines).map { ReceiptText(verbatim: $0) }.filter {
            !$0.plain.isEmpty
        }
        self.code = code
    }
}

/// What a QR code says. It is data for a machine: nothing is stripped, and no printer gets it as text.
public struct CodeText: Hashable, Sendable {
    /// Most bytes: what the largest code holds at the middle level of correction.
    public static let maximumBytes = 2_331

    /// The text, 1 to ``maximumBytes`` bytes of UTF-8.
    public let text: String

    /// Takes 1 to ``maximumBytes`` bytes of UTF-8; `nil` otherwise.
    public init?(_ text: String) {
        guard (1...CodeText.maximumBytes).contains(text.utf8.count) else { return nil }
        self.text = text
    }
}
