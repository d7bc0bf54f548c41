public import TillCore
public import TillJournal
public import TillPrinting
import TillReceipts

/// Opens the cash drawer attached to a printer, without a sale. Printing a receipt never opens it.
public struct DrawerKick: Sendable {
    /// The drawer pin of most drawers.
    public static let usualPin = 2

    private let journal: any CounterStore
    private let clock: any TillClock

    /// Creates it for the printers of a journal.
    public init(_ journal: any CounterStore, clock: any TillClock) {
        self.journal = journal
        self.clock = clock
    }

    /// Returns `true` if a drawer can be attached to a printer.
    package static func canOpen(_ printer: KnownPrinter) -> Bool {
        guard let address = try? PrinterAddress(parsing: printer.address) else { return false }
        return !address.isIPP && !(ESCPOSProfile.named(printer.profile) ?? .wide).drawerPins.isEmpty
    }

    /// Opens the drawer. The actor is durably recorded in the audit log first, so that no opening goes unrecorded.
    /// - Parameter printer: A name, or an address.
    /// - Throws: ``DrawerError``, `IPPError.noDrawer(pin:)` and the errors of ``PrinterRegistry``: nothing was sent
    ///   then.
    public func open(_ printer: String, pin: Int = DrawerKick.usualPin, of account: AccountID) async throws
        -> PrintOutcome
    {
        let one = try await PrinterRegistry(journal, clock: clock).printer(printer)
        guard !one.address.isIPP else { throw DrawerError.noPlug }
        guard one.profile.drawerPins.contains(pin) else { throw IPPError.noDrawer(pin: pin) }
        try await journal.note([AuditNote(.drawerOpened, account: account, subject: printer)])
        return try await one.openDrawer(pin: pin)
    }
}

/// An error that prevented opening the drawer.
public enum DrawerError: ExplainedError, Hashable {
    /// The printer uses IPP, which has no drawer operation.
    case noPlug

    public var code: String { "no_drawer" }
    public var what: String { "An IPP printer opens no drawer. Nothing was sent to it." }
    public var moneyMoved: MoneyMoved { .no }
    public var next: String { "Use the printer's ESC/POS port: socket://HOST:9100." }
}

extension PrinterAddress {
    fileprivate var isIPP: Bool { if case .ipp = self { true } else { false } }
}

extension PrintOutcome {
    /// `true` if the printer received everything.
    public var isHandedOver: Bool {
        switch self {
        case .printed, .handedOver: true
        case .failed, .mayHavePrinted: false
        }
    }

    /// A status message for the cashier.
    public var drawerSentence: String {
        switch self {
        case .printed, .handedOver: "The drawer was asked to open."
        case .failed(let why): "The drawer was not opened: \(why)"
        case .mayHavePrinted(let why): "The drawer may have opened: \(why)"
        }
    }
}
