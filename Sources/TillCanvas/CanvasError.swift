public import TillCore

/// Why a receipt cannot be drawn.
public enum CanvasError: ExplainedError, Hashable {
    /// A library is not on this machine.
    case notInstalled(String)
    /// The picture would be larger than any paper.
    case tooLarge
    /// The drawing library refused, with its number.
    case failed(Int32)

    /// The stable word.
    public var code: String {
        switch self {
        case .notInstalled: "canvas_not_installed"
        case .tooLarge: "receipt_too_large"
        case .failed: "canvas_failed"
        }
    }

    /// What happened.
    public var what: String {
        switch self {
        case .notInstalled(let name): "The receipt cannot be drawn: \(name) is not on this machine."
        case .tooLarge: "The receipt cannot be drawn: it is longer than any paper."
        case .failed(let status): "The receipt cannot be drawn: Cairo gave up with status \(status)."
        }
    }

    /// Drawing moves nothing.
    public var moneyMoved: MoneyMoved { .no }

    /// What to do next.
    public var next: String {
        switch self {
        case .notInstalled:
            "Install Pango and fonts (Debian: libpangocairo-1.0-0 fonts-noto-core fonts-noto-cjk), or use text, HTML "
                + "or ESC/POS."
        case .tooLarge: "Use text or HTML."
        case .failed: "Use text, HTML or ESC/POS, and report the status."
        }
    }
}
