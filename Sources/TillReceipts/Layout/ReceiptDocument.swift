/// A receipt laid out and not yet drawn: one tree for every medium. Each back end (HTML, text, a printer's bytes,
/// pictures) walks the same blocks in the same order.
public struct ReceiptDocument: Hashable, Sendable {
    /// A part of it, from top to bottom.
    public enum Block: Hashable, Sendable {
        /// A picture over the name.
        case image(MonochromeImage)
        /// The shop's name, as the receipt's heading.
        case heading(ReceiptText)
        /// A line in the middle of the paper.
        case line(ReceiptText)
        /// A centered line of a name and what it names, which is kept apart from it for direction.
        case named(ReceiptText, ReceiptText, isGap: Bool)
        /// Whether it is paid, with a sentence; a warning must not be taken for a receipt of money.
        case notice(ReceiptText, ReceiptText?, label: ReceiptText, isWarning: Bool)
        /// Rows of labels and values under one name.
        case table(Table)
        /// A QR code and what it is.
        case code(CodeText, caption: ReceiptText, isLink: Bool)
        /// A line to write on.
        case signature(ReceiptText)
        /// A line across the paper, between parts.
        case rule
        /// The paper ends here and is cut.
        case cut
    }

    /// Rows under one name.
    public struct Table: Hashable, Sendable {
        /// What it is; paper does without.
        public var caption: ReceiptText
        /// Names of the columns: of the label, of what stands between, of the value; empty: none.
        public var columns: [ReceiptText] = []
        /// The values are amounts, which no medium parts.
        public var holdsAmounts = false
        /// The rows, from top to bottom.
        public var rows: [Row] = []
    }

    /// A label on one side and a value on the other.
    public struct Row: Hashable, Sendable {
        /// What the row tells, as "Total" or "Card".
        public var label: ReceiptText
        /// Between label and value: how many, or when.
        public var middle: ReceiptText?
        /// How much, or which.
        public var value: ReceiptText
        /// Lines under the label.
        public var details: [ReceiptText] = []
        /// The one that readers scan for.
        public var isStrong = false
        /// A required value that nobody gave.
        public var isGap = false
        /// `middle` counts pieces, and paper says `2 x Tea`.
        public var isCounted = false
    }

    /// What the page is called.
    public let title: ReceiptText
    /// The language tag: `fr-CA`.
    public let language: String
    /// Written from right to left.
    public let isRightToLeft: Bool
    /// From top to bottom.
    public let blocks: [Block]

    /// Lays a receipt out.
    public init(_ receipt: ReceiptContent) {
        let labels = ReceiptLabels(receipt.locale)
        var layout = ReceiptLayout(receipt, labels)
        blocks = layout.make()
        title = ReceiptText(
            own: "\(labels[.receipt].plain) \(receipt.orderNumber.plain) – \(receipt.store.name.plain)")
        language = labels.tag
        isRightToLeft = labels.isRightToLeft
    }
}
