public import TillCore

/// A reason that a receipt cannot be drawn. Nothing was drawn then, not even partially.
public enum CanvasError: ExplainedError, Hashable {
    /// A shared library, or a function of one, that is not installed: `libpango-1.0`.
    case notInstalled(String)
    /// Scripts without a font on this machine; never empty.
    case noFont([Script])
    /// The receipt would be longer than 20 m, or higher than 32,767 dots.
    case tooLarge
    /// The drawing library failed: Cairo's status, or −1 if there is none.
    case failed(Int32)

    /// A stable, machine-readable code.
    public var code: String {
        switch self {
        case .notInstalled: "canvas_not_installed"
        case .noFont: "font_not_installed"
        case .tooLarge: "receipt_too_large"
        case .failed: "canvas_failed"
        }
    }

    public var what: String {
        switch self {
        case .notInstalled(let name): "The receipt cannot be drawn: \(name) is not on this machine."
        case .noFont(let scripts):
            "The receipt cannot be drawn: no font on this machine has "
                + scripts.map(\.name).joined(separator: " or ") + "."
        case .tooLarge: "The receipt cannot be drawn: it is longer than any paper."
        case .failed(let status): "The receipt cannot be drawn: Cairo gave up with status \(status)."
        }
    }

    /// Drawing moves no money.
    public var moneyMoved: MoneyMoved { .no }

    /// The recommended next step.
    public var next: String {
        switch self {
        case .notInstalled:
            "Install Pango and fonts (Debian: \(CanvasError.packages.joined(separator: " "))), or use text or HTML."
        case .noFont(let scripts):
            "Install fonts (Debian: \(Script.packages(for: scripts).joined(separator: " "))), or use text or HTML; "
                + "`till doctor` lists what can be drawn."
        case .tooLarge: "Use text or HTML."
        case .failed: "Use text or HTML, and report the status."
        }
    }

    /// The Debian packages required for drawing, including fonts of every script.
    public static let packages = ["libpangocairo-1.0-0"] + Script.packages(for: Script.allCases)
}
