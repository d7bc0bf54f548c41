/// The text signed by a fiscal device or service, as the integrator received it: printed unchanged, never interpreted,
/// and no claim of legal compliance on Till's part.
///
/// ```swift
/// var signed = ReceiptContent(payment: payment, store: StoreDetails(name: "Corner shop"))
/// signed.fiscal = FiscalBlock(
///     lines: ["Transaction 4711", "Signature counter 5012"], code: CodeText("V0;955002-00;Kassenbeleg-V1"))
/// print(ReceiptRenderer.text(signed))
/// ```
public struct FiscalBlock: Hashable, Sendable {
    /// Maximum number of lines printed; the rest is dropped.
    public static let maximumLines = 40

    /// The lines, in order.
    public let lines: [ReceiptText]
    /// The exact content of the QR code; `nil` for none.
    public let code: CodeText?

    /// Creates a block of at most ``maximumLines`` lines, with control characters removed.
    public init(lines: [String], code: CodeText? = nil) {
        self.lines = lines.prefix(FiscalBlock.maximumLines).map { ReceiptText(verbatim: $0) }.filter {
            !$0.plain.isEmpty
        }
        self.code = code
    }
}

/// The content of a QR code: machine data from which nothing is stripped, and which is never sent to a printer as text.
public struct CodeText: Hashable, Sendable {
    /// Maximum number of bytes: the capacity of the largest code at error correction level M.
    public static let maximumBytes = 2_331

    /// The text, 1 to ``maximumBytes`` bytes of UTF-8.
    public let text: String

    /// Creates the content from 1 to ``maximumBytes`` bytes of UTF-8; `nil` otherwise.
    public init?(_ text: String) {
        guard (1...CodeText.maximumBytes).contains(text.utf8.count) else { return nil }
        self.text = text
    }
}
