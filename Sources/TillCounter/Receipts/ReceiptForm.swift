public import TillCanvas
public import TillCore
public import TillReceipts

/// The output format and width of a receipt.
public struct ReceiptForm: Hashable, Sendable {
    public enum Format: String, Hashable, Sendable, CaseIterable {
        /// Plain text in fixed columns.
        case text
        case html
        case json
        /// The printed layout, with its fonts.
        case pdf
        /// An image of the printed layout.
        case png
        /// Raw ESC/POS bytes for a printer.
        case escpos

        /// The media type in HTTP responses.
        public var mediaType: String {
            switch self {
            case .text: "text/plain; charset=utf-8"
            case .html: "text/html; charset=utf-8"
            case .json: "application/json"
            case .pdf: "application/pdf"
            case .png: "image/png"
            case .escpos: "application/vnd.till.escpos"
            }
        }
    }

    public let format: Format
    private let paper: Paper
    private let columns: Int
    private let profile: ESCPOSProfile

    /// Creates a form from request parameters.
    /// - Parameters:
    ///   - width: `58`, `80`, `A4` or `Letter`; for text also a number of columns, 24 to 255.
    ///   - profile: The ESC/POS printer profile; `nil` for the default of that width.
    /// - Throws: ``ReceiptFormError``
    public init(_ format: Format, width: String = "80", profile: String? = nil) throws(ReceiptFormError) {
        self.format = format
        let named = Paper.named(width)
        let number = Int(width).flatMap { (24...255).contains($0) ? $0 : nil }
        guard named != nil || format == .text && number != nil else { throw .unknownWidth(width) }
        paper = named ?? .roll80
        switch named {
        case .roll58: columns = 32
        case .roll80: columns = 48
        case .some: columns = 80
        case nil: columns = number ?? 48
        }
        guard let known = ESCPOSProfile.named(profile ?? (named == .roll58 ? "58" : "80")) else {
            throw .unknownProfile(profile ?? "")
        }
        self.profile = known
    }

    /// Renders the receipt.
    /// - Returns: The bytes, and the number of ESC/POS lines with `?` in place of a character.
    /// - Throws: `CanvasError` if it cannot be drawn, or contains characters that no font has.
    public func write(_ content: ReceiptContent) throws(CanvasError) -> (bytes: [UInt8], damagedLines: Int) {
        let document = ReceiptDocument(content)
        switch format {
        case .text: return (Array(ReceiptRenderer.text(content, columns: columns).utf8), 0)
        case .html: return (ReceiptRenderer.htmlBytes(document), 0)
        case .json: return (content.jsonValue.bytes() + [0x0A], 0)
        case .pdf: return (try Canvas().pdf(document, paper: paper), 0)
        case .png: return (try Canvas().png(document, paper: paper), 0)
        case .escpos:
            let receipt = try ESCPOSReceipt(drawing: document, profile: profile)
            return (receipt.bytes, receipt.damagedLines)
        }
    }
}

/// An error for an unsupported form.
public enum ReceiptFormError: ExplainedError, Hashable {
    /// An unknown paper or number of columns.
    case unknownWidth(String)
    /// An unknown printer paper.
    case unknownPaper(String)
    /// An unknown ESC/POS profile.
    case unknownProfile(String)

    public var code: String {
        switch self {
        case .unknownWidth, .unknownPaper: "unknown_width"
        case .unknownProfile: "unknown_profile"
        }
    }
    public var what: String {
        switch self {
        case .unknownWidth(let width), .unknownPaper(let width): "There is no paper \(width.prefix(40))."
        case .unknownProfile(let name): "There is no printer profile \(name.prefix(40))."
        }
    }
    public var moneyMoved: MoneyMoved { .no }
    /// The next step for the operator.
    public var next: String {
        switch self {
        case .unknownWidth: "Use 58, 80, A4 or Letter; for text also 24 to 255 columns."
        case .unknownPaper: "Use 58, 80, A4 or Letter."
        case .unknownProfile: "Use \(ESCPOSProfile.all.map(\.name).joined(separator: ", "))."
        }
    }
}
