public import TillReceipts

/// The parameters of the system's print dialog, determined without the dialog.
public struct AirPrintRequest: Hashable, Sendable {
    /// A sheet, in points, for printers that have no roll.
    public static let sheet = (width: 595, height: 842)
    /// Paper widths that are receipt rolls, in points: 48 mm to 112 mm.
    static let rolls = 136...318

    /// The receipt as HTML.
    public let markup: String
    /// The name of the job in the printer's queue.
    public let jobName: String
    /// The margin on all sides.
    public let marginInPoints: Int

    /// Creates the request for a receipt.
    public init(_ content: ReceiptContent) {
        markup = ReceiptRenderer.html(content)
        jobName = "\(content.store.name.plain) \(content.name.plain)"
        marginInPoints = 9
    }

    /// Returns the index of the widest receipt roll; `nil` if there is none.
    public static func roll(amongWidths widths: [Int]) -> Int? {
        widths.indices.filter { rolls.contains(widths[$0]) }.max { widths[$0] < widths[$1] }
    }

    /// Returns the result of a closed dialog.
    public static func outcome(isCompleted: Bool, error: (any Error)?) -> Result<Void, PrinterServiceError> {
        if let error { return .failure(.failed("\(error)")) }
        return isCompleted ? .success(()) : .failure(.canceled)
    }
}
