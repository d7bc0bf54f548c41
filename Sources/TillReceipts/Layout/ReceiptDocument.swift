/// The layout of a receipt, independent of the medium. Each back end (HTML, text, printer bytes, images) renders the
/// same blocks in the same order.
public struct ReceiptDocument: Hashable, Sendable {
    /// A block of the layout.
    public enum Block: Hashable, Sendable {
        /// An image above the name.
        case image(MonochromeImage)
        /// The shop's name, as the receipt's heading.
        case heading(ReceiptText)
        /// A centered line.
        case line(ReceiptText)
        /// A centered line of a name and a value, bidirectionally isolated from each other.
        case named(ReceiptText, ReceiptText, isGap: Bool)
        /// The payment status, with a sentence; a warning must not be mistaken for proof of payment.
        case notice(ReceiptText, ReceiptText?, label: ReceiptText, isWarning: Bool)
        /// Rows of labels and values under a caption.
        case table(Table)
        /// A QR code and its caption.
        case code(CodeText, caption: ReceiptText, isLink: Bool)
        /// A signature line.
        case signature(ReceiptText)
        /// A horizontal rule between sections.
        case rule
        /// The end of the paper, with a cut.
        case cut
    }

    /// Rows under a caption.
    public struct Table: Hashable, Sendable {
        /// The caption; not printed on paper.
        public var caption: ReceiptText
        /// Column headings for label, middle and value; empty for none.
        public var columns: [ReceiptText] = []
        /// `true` if the values are amounts, which must not be broken across lines.
        public var holdsAmounts = false
        /// The rows, from top to bottom.
        public var rows: [Row] = []

        package init(
            caption: ReceiptText, columns: [ReceiptText] = [], holdsAmounts: Bool = false, rows: [Row] = []
        ) {
            (self.caption, self.columns, self.holdsAmounts, self.rows) = (caption, columns, holdsAmounts, rows)
        }
    }

    /// A label and a value at opposite sides.
    public struct Row: Hashable, Sendable {
        /// The label, such as "Total" or "Card".
        public var label: ReceiptText
        /// The quantity or time between label and value.
        public var middle: ReceiptText?
        /// The value.
        public var value: ReceiptText
        /// Lines under the label.
        public var details: [ReceiptText] = []
        /// `true` for the row that readers look for first.
        public var isStrong = false
        /// `true` for a required value that is missing.
        public var isGap = false
        /// `true` if `middle` is a quantity, printed as `2 x Tea`.
        public var isCounted = false

        package init(
            label: ReceiptText, middle: ReceiptText? = nil, value: ReceiptText, details: [ReceiptText] = [],
            isStrong: Bool = false, isGap: Bool = false, isCounted: Bool = false
        ) {
            (self.label, self.middle, self.value, self.details) = (label, middle, value, details)
            (self.isStrong, self.isGap, self.isCounted) = (isStrong, isGap, isCounted)
        }
    }

    /// The title of the page.
    public let title: ReceiptText
    /// The language tag, such as `fr-CA`.
    public let language: String
    /// `true` if the text is written from right to left.
    public let isRightToLeft: Bool
    /// The blocks, from top to bottom.
    public let blocks: [Block]

    /// Lays out a receipt.
    public init(_ receipt: ReceiptContent) {
        let labels = ReceiptLabels(receipt.locale)
        var layout = ReceiptLayout(receipt, labels)
        blocks = layout.make()
        title = ReceiptText(
            own: "\(labels[.receipt].plain) \(receipt.name.plain) – \(receipt.store.name.plain)")
        language = labels.tag
        isRightToLeft = labels.isRightToLeft
    }

    /// Creates a paper of the shop that is no receipt, such as the report of a day.
    package init(title: ReceiptText, labels: ReceiptLabels, blocks: [Block]) {
        (self.title, self.blocks) = (title, blocks)
        language = labels.tag
        isRightToLeft = labels.isRightToLeft
    }
}
