public import TillCore
public import TillJournal
public import TillPrinting
import TillReceipts

/// The printers of a shop, by registered name or by address.
///
/// ```swift
/// import TillJournal
///
/// let registry = PrinterRegistry(journal)
/// let printer = KnownPrinter(name: "counter", address: "socket://192.168.1.30:9100", profile: "wide")
/// try await registry.keep(printer)
/// for known in try await registry.all() { print(known.name, known.address) }
/// ```
public struct PrinterRegistry: Sendable {
    /// The maximum size of a password file in bytes.
    static let longestPassword = 1_024

    /// The maximum number of registered printers.
    package static let maximum = 500

    /// The record that each added printer changes, so that the number of printers is a condition of the write.
    private static let stateID = RecordID("printer_state", "changes")

    private let store: any RecordStore
    private let records: Records<KnownPrinter>
    private let clock: any TillClock

    /// Creates the registry of a record store.
    public init(_ store: any RecordStore, clock: any TillClock = SystemClock()) {
        self.store = store
        records = Records(store)
        self.clock = clock
    }

    /// Returns a registered printer; `nil` if there is none.
    public func known(_ name: String) async throws(JournalError) -> KnownPrinter? {
        // Too long for a name: an address, or invalid.
        guard (1...RecordLimits.maximumKeyBytes).contains(name.utf8.count) else { return nil }
        return try await records.document(name)
    }

    /// Returns the registered printers, sorted by name.
    public func all() async throws(JournalError) -> [KnownPrinter] {
        try await records.list(limit: PrinterRegistry.maximum).sorted { $0.name < $1.name }
    }

    /// Registers a printer, replacing one of the same name, whatever their number. Durable, with its entry in the audit
    /// log, when it returns.
    public func keep(_ printer: KnownPrinter) async throws(JournalError) {
        try await records.put(printer, noting: [PrinterRegistry.added(printer)])
    }

    /// Checks and registers a printer as entered by a shop. Durable, with its entry in the audit log, when it returns.
    ///
    /// A printer whose first certificate is to be trusted is contacted for it; if it presents none now, the first that
    /// it presents later is pinned. No other printer is contacted.
    /// - Parameter replaces: `true` to replace a printer of the same name.
    /// - Throws: ``NewPrinterError`` if it is refused, `JournalError` if it could not be written.
    package func add(_ new: NewPrinter, replaces: Bool) async throws -> KnownPrinter {
        var (printer, address) = try new.checked()
        // A refusal that is certain already contacts no printer.
        _ = try await registration(of: printer, replaces: replaces)
        if printer.trustsFirst, case .ipp(let ipp) = address {
            printer.certificate = try? await PrinterPin.observe(ipp).digest
        }
        try await register(printer, replaces: replaces)
        return printer
    }

    /// Writes a registration; decides again after a conflict with another writer.
    private func register(_ printer: KnownPrinter, replaces: Bool) async throws {
        for tries in 1... {
            let changes = try await registration(of: printer, replaces: replaces)
            do throws(JournalError) {
                return try await store.change(changes, noting: [PrinterRegistry.added(printer)])
            } catch {
                guard case .recordConflict = error, tries < Records<KnownPrinter>.maximumConflicts else { throw error }
            }
        }
    }

    /// Returns the changes that register a printer, decided on the current state. Of two that would both be the last
    /// of ``maximum``, one conflicts.
    private func registration(of printer: KnownPrinter, replaces: Bool) async throws -> [RecordChange] {
        let record = printer.record
        let mark = Record(PrinterRegistry.stateID, body: Array("{}".utf8))
        // Read first: a printer that is added after this makes the write a conflict.
        let state = try await store.record(mark.id)
        if let kept = try await store.record(record.id) {
            guard replaces else { throw NewPrinterError.exists(printer.name) }
            return [.update(record, from: kept.version)]
        }
        let count = try await records.count()
        guard count < PrinterRegistry.maximum else { throw NewPrinterError.tooMany }
        return [.insert(record), .put(mark, over: state)]
    }

    /// Removes a printer's registration. Durable, with its entry in the audit log, when it returns.
    /// - Returns: `true` if there was one.
    public func forget(_ name: String) async throws(JournalError) -> Bool {
        try await records.delete(name, noting: [AuditNote(.printerRemoved, subject: name)])
    }

    /// Returns the audit log entry of a registration: with the address, nothing of a password.
    private static func added(_ printer: KnownPrinter) -> AuditNote {
        let pin = printer.certificate.flatMap { PrinterPin(kept: $0) }
        return AuditNote(
            .printerAdded, subject: printer.name,
            changes: [
                AuditChange("address", to: printer.address), AuditChange("profile", to: printer.profile),
                AuditChange("certificate", to: pin?.fingerprint ?? (printer.trustsFirst ? "first" : "not pinned")),
            ])
    }

    /// Pins the first certificate that a printer presents, with an entry in the audit log, unless one was pinned
    /// meanwhile or the name was given to a printer at another address.
    /// - Returns: The pinned certificate.
    private func keepFirst(certificate: [UInt8], of seen: KnownPrinter) async throws(JournalError) -> [UInt8]? {
        var pinned = seen
        pinned.certificate = certificate
        let changed = try await records.update(seen.name, noting: [PrinterRegistry.added(pinned)]) { printer in
            guard printer.certificate == nil, printer.trustsFirst, printer.address == seen.address else {
                return false
            }
            printer.certificate = certificate
            return true
        }
        if let changed { return changed.certificate }
        return try await known(seen.name)?.certificate
    }

    /// Returns a printer's address without contacting it.
    /// - Throws: `PrinterAddressError` if the text is neither a name nor an address.
    public func place(of text: String) async throws -> PrinterAddress {
        let known = try await known(text)
        return try PrinterAddress(parsing: known?.address ?? text)
    }

    /// Returns the printer of a name or an address, ready for use. If its first certificate is to be trusted and none
    /// is pinned yet, the printer is contacted now; the pin is durable before anything is sent under it.
    /// - Throws: `PrinterAddressError`, ``PrinterRegistryError``, `IPPError`
    public func printer(
        _ text: String, deadline: Span = ReceiptPrinter.defaultDeadline
    ) async throws -> ReceiptPrinter {
        guard let known = try await known(text) else {
            return ReceiptPrinter(try PrinterAddress(parsing: text), deadline: deadline, clock: clock)
        }
        let address = try PrinterAddress(parsing: known.address)
        var kept = known.certificate
        if kept == nil, known.trustsFirst, case .ipp(let ipp) = address, ipp.isSecure {
            let seen = try await PrinterPin.observe(ipp)
            kept = try await keepFirst(certificate: seen.digest, of: known)
        }
        var access = ReceiptPrinter.Access()
        if let kept {
            guard let pin = PrinterPin(kept: kept) else { throw PrinterRegistryError.unreadablePin(known.name) }
            access.pin = pin
        }
        if let user = known.user {
            access.credentials = try PrinterRegistry.credentials(user, file: known.passwordFile)
        }
        return ReceiptPrinter(
            address, profile: ESCPOSProfile.named(known.profile) ?? .wide, access: access,
            deadline: deadline, clock: clock)
    }

    /// Returns a user name with the password in the first line of a file that is writable and readable only by its
    /// owner.
    public static func credentials(_ user: String, file: String?) throws(PrinterRegistryError) -> PrinterCredentials {
        guard let file else { throw .passwordFile("") }
        let bytes: [UInt8]
        do throws(UntrustedFile) {
            bytes = try TrustedFile.read(file, "printer's password file", limit: longestPassword, content: .secret)
        } catch { throw error.isDistrusted ? .untrusted(error) : .passwordFile(file) }
        guard let line = String(validating: bytes, as: UTF8.self)?.split(whereSeparator: \.isNewline).first else {
            throw .passwordFile(file)
        }
        guard let found = PrinterCredentials(user: user, password: Secret(String(line))) else {
            throw .passwordFile(file)
        }
        return found
    }
}

/// An error in a registered printer.
public enum PrinterRegistryError: ExplainedError, Hashable {
    /// The pinned certificate is unreadable.
    case unreadablePin(String)
    /// The password file is missing, empty, too long, or not readable by this user.
    case passwordFile(String)
    /// The password file is writable or readable by other users.
    case untrusted(UntrustedFile)

    public var code: String {
        switch self {
        case .unreadablePin: "printer_pin_unreadable"
        case .passwordFile: "printer_password_unreadable"
        case .untrusted(let file): file.code
        }
    }
    public var what: String {
        switch self {
        case .unreadablePin(let name): "What the printer \(name) must show cannot be read; nothing was sent to it."
        case .passwordFile(let file):
            "The printer's name and password cannot be used: \(file.isEmpty ? "no file was given" : file). "
                + "Nothing was sent to it."
        case .untrusted(let file): file.what + " Nothing was sent to the printer."
        }
    }
    /// A printer moves no money.
    public var moneyMoved: MoneyMoved { .no }
    /// The next step for the operator.
    public var next: String {
        switch self {
        case .unreadablePin: "Add the printer anew with --trust or --pin."
        case .passwordFile: "The file must hold the password in one line, readable for the user that Till runs as."
        case .untrusted(let file): file.next
        }
    }
}
