public import TillReceipts

/// What the system's print dialog is asked for, decided without it.
public struct AirPrintRequest: Hashable, Sendable {
    /// A sheet, in points, for printers that have no roll.
    public static let sheet = (width: 595, height: 842)
    /// Widths that are rolls for receipts, in points: 48 mm to 112 mm.
    static let rolls = 136...318

    /// The receipt as HTML.
    public let markup: String
    /// What the printer's list calls it.
    public let jobName: String
    /// Kept free on all sides.
    public let marginInPoints: Int

    /// The request for a receipt.
    public init(_ content: ReceiptContent) {
        markup = ReceiptRenderer.html(content)
        jobName = "\(content.store.name.plain) \(content.orderNumber.plain)"
        marginInPoints = 9
    }

    /// The place of the roll to print on: the widest one for receipts; `nil` if there is none.
    public static func roll(amongWidths widths: [Int]) -> Int? {
        widths.indices.filter { rolls.contains(widths[$0]) }.max { widths[$0] < widths[$1] }
    }

    /// What the dialog's end means.
    public static func outcome(isCompleted: Bool, error: (any Error)?) -> Result<Void, PrinterServiceError> {
        if let error { return .failure(.failed("\(error)")) }
        return isCompleted ? .success(()) : .failure(.canceled)
    }
}
