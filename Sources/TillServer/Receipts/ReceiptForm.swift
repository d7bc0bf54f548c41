public import TillCanvas
public import TillCore
public import TillReceipts

/// In which form a receipt is written, and how wide.
public struct ReceiptForm: Hashable, Sendable {
    public enum Format: String, Hashable, Sendable, CaseIterable {
        /// Lines of fixed columns.
        case text
        case html
        case json
        /// As it prints, with its fonts.
        case pdf
        /// A picture of how it prints.
        case png
        /// Bytes of ESC/POS, for a printer that takes them as they are.
        case escpos

        /// What an answer over HTTP is called.
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

    /// A form as a request asks for it.
    /// - Parameters:
    ///   - width: `58`, `80`, `A4` or `Letter`; for text also a number of columns, 24 to 255.
    ///   - profile: what an ESC/POS printer can do; `nil`: the default at that width.
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

    /// The receipt in this form.
    /// - Returns: its bytes, and the lines of an ESC/POS receipt that carry `?` for a character.
    /// - Throws: `CanvasError` if it cannot be drawn, or would be in characters that no font has.
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

/// A form that there is not.
public enum ReceiptFormError: ExplainedError, Hashable {
    /// No such paper, nor number of columns.
    case unknownWidth(String)
    /// No such paper for a printer.
    case unknownPaper(String)
    /// No ESC/POS profile has that name.
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
    /// What to do next.
    public var next: String {
        switch self {
        case .unknownWidth: "Use 58, 80, A4 or Letter; for text also 24 to 255 columns."
        case .unknownPaper: "Use 58, 80, A4 or Letter."
        case .unknownProfile: "Use \(ESCPOSProfile.all.map(\.name).joined(separator: ", "))."
        }
    }
}
