public import TillCore
public import TillJournal
public import TillPrinting
import TillReceipts

/// Opens the cash drawer on a printer's plug, without a sale. No receipt does it.
public struct DrawerKick: Sendable {
    /// The pin that most drawers are on.
    public static let usualPin = 2

    private let journal: any CounterStore
    private let clock: any TillClock

    /// At the printers of a journal.
    public init(_ journal: any CounterStore, clock: any TillClock) {
        self.journal = journal
        self.clock = clock
    }

    /// Whether a drawer can be on a printer's plug.
    static func canOpen(_ printer: KnownPrinter) -> Bool {
        guard let address = try? PrinterAddress(parsing: printer.address) else { return false }
        return !address.isIPP && !(ESCPOSProfile.named(printer.profile) ?? .wide).drawerPins.isEmpty
    }

    /// Asks the printer. Who had it asked is durable in the audit log before, so that no drawer opens unseen.
    /// - Parameter printer: a name, or an address.
    /// - Throws: ``DrawerError``, `IPPError.noDrawer(pin:)` and what ``PrinterRegistry`` throws: nothing was sent then.
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

/// Why no drawer was opened.
public enum DrawerError: ExplainedError, Hashable {
    /// The printer is spoken with over IPP, which has no word for it.
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
    /// The printer has all that was sent.
    public var isHandedOver: Bool {
        switch self {
        case .printed, .handedOver: true
        case .failed, .mayHavePrinted: false
        }
    }

    /// One sentence for whoever stands before the drawer.
    public var drawerSentence: String {
        switch self {
        case .printed, .handedOver: "The drawer was asked to open."
        case .failed(let why): "The drawer was not opened: \(why)"
        case .mayHavePrinted(let why): "The drawer may have opened: \(why)"
        }
    }
}
